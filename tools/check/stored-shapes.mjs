// Shapes that are stored or sent are aliases: only those fit JSON without a cast.
import ts from 'typescript';

const storedOrSent = /\.(?:events|wire|projection|signals)\.ts$/;

export const name = 'stored-shapes';

export function check({ files }) {
  return files
    .filter(({ path, isTest }) => !isTest && storedOrSent.test(path))
    .flatMap((file) =>
      file.tree.statements
        .filter((statement) => ts.isInterfaceDeclaration(statement))
        .map(({ name: { text } }) => ({ where: `${file.path}#${text}`, what: 'is an interface where a type belongs' })),
    );
}
