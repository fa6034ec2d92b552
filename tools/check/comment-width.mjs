// Comments fit the width that the formatter gives code. The formatter itself does not wrap them.
export const columnsMax = 120;
const comment = /^\s*(?:\*|\/\/|\/\*)/;

export const name = 'comment-width';

export function check({ files }) {
  return files.flatMap(({ path, lines }) =>
    lines.flatMap((line, at) =>
      line.length > columnsMax && comment.test(line)
        ? [{ where: path, what: `line ${at + 1} is a comment of ${line.length} columns, at most ${columnsMax}` }]
        : [],
    ),
  );
}
