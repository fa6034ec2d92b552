/** Strokes on a grid of 24, drawn for the console. */
const shapes = {
  home: 'M4 11.5 12 5l8 6.5M6.5 10v9h11v-9M10.5 19v-5h3v5',
  sessions: 'M4 6h16v10H9l-5 4z',
  play: 'M8 5.5v13l10.5-6.5z',
  question: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M9.5 9.6a2.5 2.5 0 1 1 3.6 2.3c-.8.4-1.1.9-1.1 1.8M12 16.8v.2',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5.2l3.4 2',
  agent: 'M6 9h12v10H6zM12 9V5M12 5h.01M9.5 13.5v1M14.5 13.5v1M3.5 13v3M20.5 13v3',
  skill: 'M6 4h9l3 3v13H6zM15 4v3h3M9 12h6M9 15.5h4',
  action: 'M13 3 5 14h6l-1 7 9-11h-6z',
  table: 'M4 5h16v14H4zM4 10h16M4 14.5h16M10 10v9',
  blueprint: 'M4 4h6v6H4zM14 14h6v6h-6zM7 10v4a3 3 0 0 0 3 3h4',
  events: 'M4 12h4l2.5-7 4 14 2.5-7h3',
  worker: 'M5 7h14v10H5zM9 17v3M15 17v3M9 4v3M15 4v3M2 10h3M2 14h3M19 10h3M19 14h3',
  usage: 'M5 20V10M12 20V4M19 20v-7',
  access: 'M14.5 9.5a5 5 0 1 0-4.6 5L12 12.5h2.5V10M9 9h.01M13.4 13.4 20 20M17.5 17.5l2-2',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16.2 16.2 21 21',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5 10 17 19 7',
  chevron: 'M9 6l6 6-6 6',
  down: 'M6 9l6 6 6-6',
  logout: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  code: 'M8.5 7 4 12l4.5 5M15.5 7l4.5 5-4.5 5',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  edit: 'M5 19h4L19.5 8.5l-4-4L5 15zM13.5 6.5l4 4',
  more: 'M5.2 12a.8.8 0 1 0 1.6 0 .8.8 0 1 0-1.6 0M11.2 12a.8.8 0 1 0 1.6 0 .8.8 0 1 0-1.6 0M17.2 12a.8.8 0 1 0 1.6 0 .8.8 0 1 0-1.6 0',
  pause: 'M9 6v12M15 6v12',
  warning: 'M12 4 2.8 20h18.4zM12 10v4.5M12 17v.2',
  refresh: 'M19.5 12a7.5 7.5 0 1 1-2.2-5.3L20 9.2M20 4v5.2h-5.2',
  send: 'M4 12 20 4l-5 16-3.5-6.5z',
  stop: 'M7 7h10v10H7z',
  download: 'M12 4v11M7.5 11 12 15.5 16.5 11M5 20h14',
  upload: 'M12 15.5V5M7.5 9.5 12 5l4.5 4.5M5 20h14',
  file: 'M4 6h6l2 2.5h8V19H4z',
  link: 'M10.5 13.5a3.6 3.6 0 0 0 5.1 0l3-3a3.6 3.6 0 0 0-5.1-5.1l-1 1M13.5 10.5a3.6 3.6 0 0 0-5.1 0l-3 3a3.6 3.6 0 0 0 5.1 5.1l1-1',
  fork: 'M7 4v7a4 4 0 0 0 4 4h6M17 4v4M7 4h.01M17 20v-5M14 17.5l3 2.5 3-2.5',
  external: 'M14 5h5v5M19 5l-8 8M10 6H5v13h13v-5',
} as const;

export type IconName = keyof typeof shapes;

/** Decoration beside words: screen readers pass over it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      <path d={shapes[name]} />
    </svg>
  );
}
