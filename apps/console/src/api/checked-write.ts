import { useState } from 'react';
import type { Resources } from '@aos/client';
import type { ApiCall } from './call';
import { faultAt, faultsOfError, faultsOfSchema, type Faults } from './faults';
import { useWrite } from './hooks';
import { faultsBySchema } from './schemas';

export interface CheckedWrite<Body> {
  /** Checks the body by the contract's schema, and sends it when nothing is wrong. */
  submit: (body: Body) => void;
  /** What is wrong with a member, by the schema or by the service's refusal. */
  faultAt: (member: string) => string | null;
  faults: Faults;
  error: Error | null;
  isPending: boolean;
  reset: () => void;
}

interface Writing<Result> {
  done?: string | ((result: Result) => string);
  changes?: readonly (keyof Resources)[];
  onDone?: (result: Result) => void;
}

/** A write whose body is checked by a schema of the contract before it is sent. */
export function useCheckedWrite<Body, Result>(
  schema: string,
  callFor: (body: Body) => ApiCall<Promise<Result>>,
  writing: Writing<Result> = {},
): CheckedWrite<Body> {
  const [found, setFound] = useState<Faults>({});
  const [failure, setFailure] = useState<Error | null>(null);
  const [isChecking, setChecking] = useState(false);
  const write = useWrite(callFor, writing);
  const submit = async (body: Body): Promise<void> => {
    setFailure(null);
    write.reset();
    setChecking(true);
    try {
      const faults = faultsOfSchema(await faultsBySchema(schema, JSON.parse(JSON.stringify(body))));
      setFound(faults);
      if (Object.keys(faults).length === 0) write.mutate(body);
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setChecking(false);
    }
  };
  const faults = { ...faultsOfError(write.error), ...found };
  const { '': whole } = found;
  return {
    submit: (body) => void submit(body),
    faultAt: (member) => faultAt(faults, member),
    faults,
    error: failure ?? write.error ?? (whole === undefined ? null : new Error(whole)),
    isPending: write.isPending || isChecking,
    reset: () => {
      setFound({});
      setFailure(null);
      write.reset();
    },
  };
}
