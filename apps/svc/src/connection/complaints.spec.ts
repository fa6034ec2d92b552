import { refusedComplaint, strangerComplaint, unsaidLines } from './complaints.js';

const where = { url: 'http://127.0.0.1:8080', urlFrom: 'default', keyFrom: 'SVC_KEY' } as const;

describe('what a refusal says', () => {
  it('is said once: in the message, or in a line of its own', () => {
    const issue = { path: '/modle', message: 'is not a known member' };
    const one = {
      code: 'bad_request',
      status: 400,
      message: '/modle: is not a known member',
      details: { issues: [issue] },
    };
    expect(refusedComplaint(one, where).next).toEqual([expect.stringMatching(/^Next: /)]);
    const two = { ...one, details: { issues: [issue, { path: '/a', message: 'must be string' }] } };
    expect(refusedComplaint(two, where).next).toEqual(['/a: must be string', expect.stringMatching(/^Next: /)]);
    expect(unsaidLines({ message: 'name: is missing', details: { argument: 'name', reason: 'r' } })).toEqual([
      'reason: r',
    ]);
    expect(unsaidLines({ message: 'is missing', details: { argument: 'name' } })).toEqual(['argument: name']);
  });

  it.each([
    ['no such session', 'sessions'],
    ['no such session of the agent', 'sessions'],
    ['no such web hook', 'webhooks'],
    ['no such API key', 'keys'],
    ['no such principal', 'principals'],
    ['no such turn', 'turns'],
    ['no such agent', 'agents'],
    ['no such path or resource', 'agents'],
  ])('%s: names the list of these things', (message, group) => {
    const { next } = refusedComplaint({ code: 'not_found', status: 404, message }, where);
    expect(next).toEqual([`Next: svc ${group} list shows what is within reach`]);
  });

  it('names the path of the address, which a service without a proxy does not have', () => {
    const absent = { code: 'not_found', status: 404, message: 'no such path or resource' };
    const below = { ...where, url: 'http://127.0.0.1:8080/api' };
    const note = expect.stringMatching(/path \/api.* http:\/\/127\.0\.0\.1:8080$/) as string;
    const next = expect.stringMatching(/^Next: /) as string;
    expect(refusedComplaint(absent, where).next).toEqual([next]);
    expect(refusedComplaint(absent, below).next).toEqual([note, next]);
    expect(strangerComplaint(where, 'no state').next).toEqual([next]);
    expect(strangerComplaint(below, 'no state').next).toEqual([note, next]);
  });
});
