/** A jest filter: of the suites that jest found, those that JEST_CHOSEN lists. */
module.exports = (found) => {
  const chosen = JSON.parse(process.env.JEST_CHOSEN);
  return { filtered: found.filter((path) => chosen.includes(path)) };
};
