import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartProps } from './props';

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const minuteSeconds = 60;
const daySeconds = 86_400;
const axisFont = '11px ui-sans-serif, system-ui, sans-serif';

/** uPlot around the values that the page keeps; drawn anew when the system turns dark or light. */
export default function Plot({ times, series, format, height = 132, spanSeconds = minuteSeconds }: ChartProps) {
  const parent = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const latest = useRef({ times, series });
  const shape = series.map(({ name, colour }) => `${name} ${colour}`).join();

  useEffect(() => {
    latest.current = { times, series };
    plot.current?.setData(dataOf(times, series));
  }, [times, series]);

  useEffect(() => {
    const holder = parent.current;
    if (holder === null) return undefined;
    const draw = (): void => {
      plot.current?.destroy();
      const { times: at, series: lines } = latest.current;
      plot.current = new UPlot(
        optionsOf(holder, { series: lines, format, height, spanSeconds }),
        dataOf(at, lines),
        holder,
      );
    };
    draw();
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    const sized = new ResizeObserver(() => plot.current?.setSize({ width: holder.clientWidth, height }));
    sized.observe(holder);
    return () => {
      dark.removeEventListener('change', draw);
      sized.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape, format, height, spanSeconds]);

  return <div ref={parent} aria-hidden="true" className="min-w-0 overflow-hidden" />;
}

function dataOf(times: ChartProps['times'], series: ChartProps['series']): UPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])];
}

function optionsOf(
  holder: HTMLElement,
  { series, format, height, spanSeconds }: Required<Pick<ChartProps, 'series' | 'format' | 'height' | 'spanSeconds'>>,
): UPlot.Options {
  const hasDates = spanSeconds >= daySeconds;
  const time = hasDates ? date : clock;
  const colours = getComputedStyle(holder);
  const colour = (name: string): string => colours.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: colour('muted'), font: axisFont, ticks: { show: false } };
  return {
    width: holder.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    padding: [6, 18, 0, 0],
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        space: 72,
        values: (_plot, at) => at.map((one) => time.format(one * 1000)),
        ...(hasDates && { incrs: [1, 2, 7, 14, 28].map((days) => days * daySeconds) }),
      },
      {
        ...axis,
        grid: { stroke: colour('line'), width: 1 },
        size: 48,
        space: 26,
        values: (_plot, at) => at.map((one) => format(one)),
      },
    ],
    // Half a span on either side, so that the first and the last bar are whole.
    scales: {
      x: { range: (_plot, min, max) => [min - spanSeconds / 2, max + spanSeconds / 2] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max ?? 1) * 1.08] },
    },
    series: [
      {},
      ...series.map(({ name, colour: of, bars }) => ({
        label: name,
        stroke: colour(of),
        width: bars ? 0 : 1.6,
        points: { show: !bars, size: 4, fill: colour(of) },
        ...(bars ? { fill: colour(of), paths: UPlot.paths.bars?.({ size: [0.7, 14], radius: 0.2 }) } : {}),
      })),
    ],
  };
}
