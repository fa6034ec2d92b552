const units = ['KB', 'MB', 'GB', 'TB'] as const;
const step = 1_024;
const numbers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** 840 bytes, 3.2 KB, 5 GB. */
export function bytesText(bytes: number): string {
  if (bytes < step) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  let amount = bytes / step;
  let at = 0;
  for (; at < units.length - 1 && amount >= step - 0.05; at += 1) amount /= step;
  return `${numbers.format(amount)} ${units[at]}`;
}
