import { Refusal, type PrincipalKind } from '@aos/kernel';
import { sessionKind } from '../session/session.state.js';
import { isOwn, meantKey } from './session-keys.decide.js';

const caller = (principalId: string, kind: PrincipalKind) => ({ principalId, kind });
const ann = caller('user_1', 'human');

describe('rule S47: the key that a caller means', () => {
  it("is a person's own without one, with `default`, and as it reads", () => {
    expect([undefined, 'default', 'default:user_1', 'tour', 'default-tour'].map((key) => meantKey(ann, key))).toEqual([
      'default:user_1',
      'default:user_1',
      'default:user_1',
      'tour',
      'default-tour',
    ]);
  });

  it("is shared by software, and nobody means another principal's", () => {
    for (const kind of ['service', 'worker', 'agent', 'system'] as const)
      expect(meantKey(caller('svc_1', kind), undefined)).toBe('default');
    for (const one of [ann, caller('user_2', 'service')])
      expect(() => meantKey(one, 'default:user_2')).toThrow(Refusal);
  });

  it('leads to a session that the person owns or opened, not to one that another caller once opened under it', () => {
    const opened = (owner: { kind: 'person' | 'team'; id: string | null }, createdBy: string) => ({
      ...sessionKind.initial(),
      opening: {
        id: 'ses_1',
        org_id: 'org_1',
        agent_id: 'agent_1',
        session_key: 'default:user_1',
        owner,
        visibility: 'organization' as const,
        title: '',
        origin: 'api',
        compaction_policy: { strategy: 'auto' as const },
        created_by: createdBy,
        created_at: '',
      },
    });
    const team = { kind: 'team' as const, id: null };
    expect(
      [opened({ kind: 'person', id: 'user_1' }, 'svc_1'), opened(team, 'user_1'), opened(team, 'svc_1')].map((one) =>
        isOwn(one, ann),
      ),
    ).toEqual([true, true, false]);
  });
});
