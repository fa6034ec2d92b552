import type { Faults } from '../../api/faults';

/** All that is wrong with a body, also of members that have no field of their own. */
export function FaultList({ faults }: { faults: Faults }) {
  const lines = Object.entries(faults).filter(([path]) => path !== '');
  if (lines.length === 0) return null;
  return (
    <ul aria-label="Faults" className="bg-bad-soft flex flex-col gap-0.5 rounded-md px-3 py-2 text-xs">
      {lines.map(([path, message]) => (
        <li key={path} className="break-words">
          <code className="text-bad font-mono">{path}</code> {message}
        </li>
      ))}
    </ul>
  );
}
