// The table of measures in a report: `| measure | before | now |`.
const reportHead = '| measure | before | now |';

/** Takes a report, a column and measured rows. Gives the report with them; other rows stay, new ones are added. */
export function withColumn(report, column, rows) {
  const place = ['before', 'now'].indexOf(column);
  if (place < 0) throw new Error(`${column} is not a column: before or now`);
  const lines = report.split('\n');
  const head = lines.indexOf(reportHead);
  if (head < 0) throw new Error('the report has no table of measures');
  const length = lines.slice(head).findIndex((line) => !line.startsWith('|'));
  const end = length < 0 ? lines.length : head + length;
  const table = new Map(lines.slice(head + 2, end).map((line) => rowOf(line)));
  for (const [name, value] of Object.entries(rows)) {
    const cells = table.get(name) ?? ['', ''];
    table.set(name, cells.with(place, value));
  }
  const written = [...table].map(([name, cells]) => `| ${[name, ...cells].join(' | ')} |`);
  return [...lines.slice(0, head + 2), ...written, ...lines.slice(end)].join('\n');
}

function rowOf(line) {
  const [name, before, now] = line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
  return [name, [before, now]];
}
