export interface Series {
  name: string;
  /** A colour of tokens.css, without its dashes. */
  colour: 'accent' | 'good' | 'warn' | 'bad' | 'info' | 'muted';
  /** One for each time; null where there is none. */
  values: readonly (number | null)[];
  /** Amounts of a span of time; a line when left out. */
  bars?: boolean;
}

export interface ChartProps {
  label: string;
  /** Seconds since 1970, rising. */
  times: readonly number[];
  series: readonly Series[];
  format: (value: number | null) => string;
  height?: number;
  /** Of each time; a minute when left out. From a day on the axis has dates. */
  spanSeconds?: number;
}
