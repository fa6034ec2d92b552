import { classes } from './class-names';
import { CopyButton } from './copy';
import { Tabs } from './tabs';

/** The same code in several languages, each to be copied. `className` bounds its height and says how lines wrap. */
export function CodeTabs({
  texts,
  className,
}: {
  texts: readonly { name: string; text: string; label?: string }[];
  className: string;
}) {
  return (
    <Tabs
      label="Language"
      tabs={texts.map(({ name, text, label }) => ({
        value: name,
        label: name,
        content: (
          <div className="flex flex-col gap-2">
            <pre
              tabIndex={0}
              aria-label={label}
              className={classes(
                'bg-sunken overflow-auto rounded-md p-3 font-mono text-xs whitespace-pre-wrap',
                className,
              )}
            >
              {text}
            </pre>
            <div className="flex justify-end">
              <CopyButton text={text} label={`Copy ${name}`} />
            </div>
          </div>
        ),
      }))}
    />
  );
}
