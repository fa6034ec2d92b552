import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import type { Schema } from '@aos/client';
import { useService } from '../../api/hooks';
import { saveFile } from '../../api/save-file';

type Artifact = Pick<Schema<'Artifact'>, 'id' | 'name'>;

const timeoutMs = 10 * 60_000;

/** Reads a file's bytes and hands them to the browser. */
export function useDownload(): UseMutationResult<void, Error, Artifact> {
  const svc = useService();
  return useMutation({
    mutationFn: async ({ id, name }: Artifact) => {
      const content = await svc.artifacts.getContent(id, { timeoutMs });
      saveFile(await content.blob(), name);
    },
  });
}
