/** Lines in place of what is loading. */
export function Skeleton({ lines = 3, padded = false }: { lines?: number; padded?: boolean }) {
  return (
    <div role="status" aria-label="Loading" className={`flex flex-col gap-3 ${padded ? 'p-4' : 'py-1'}`}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="skeleton h-4" style={{ width: `${92 - ((line * 17) % 40)}%` }} />
      ))}
    </div>
  );
}
