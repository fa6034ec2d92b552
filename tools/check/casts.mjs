// Casts past the type checker in production code. Each is named with its count; the list only shrinks.
export const name = 'casts';

export function check({ files }) {
  return files.flatMap(({ path, text, isTest }) => {
    const casts = isTest ? 0 : (text.match(/\bas unknown as\b/g)?.length ?? 0);
    return casts === 0 ? [] : [{ where: `${path} x${casts}`, what: 'casts with `as unknown as`' }];
  });
}
