// A read needs no dispatch: it is a method of a class that the controller is given.
const dispatched = /\b(?:QueryBus|QueryHandler|IQueryHandler|Query)\b/;

export const name = 'query-bus';

export function check({ files }) {
  return files.flatMap(({ path, text }) => {
    const imported = [...text.matchAll(/import (?:type )?\{([^}]*)\} from '@nestjs\/cqrs'/g)].map(([, names]) => names);
    return imported.some((names) => dispatched.test(names)) ? [{ where: path, what: 'reads over the query bus' }] : [];
  });
}
