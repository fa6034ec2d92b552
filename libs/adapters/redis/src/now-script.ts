/** Beginning of a script that goes by the server's clock: `now` is in milliseconds since 1970. */
export const nowScript = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`;
