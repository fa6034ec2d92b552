const { readFileSync } = require('node:fs');

/** Whether the suite at this path draws its input by chance: its next draw would hide what the first one found. */
module.exports = (path) => path.includes('/tests/simulation/') || readFileSync(path, 'utf8').includes("'fast-check'");
