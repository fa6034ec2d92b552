import type { ComponentProps } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { safeHref } from './safe-href';

/** Headings of a message stand below those of the page. */
const heading = (size: string) => (props: ComponentProps<'p'> & { node?: unknown }) => {
  const { node: _node, children } = props;
  return (
    <p dir="auto" className={`${size} font-semibold`}>
      {children}
    </p>
  );
};

const components: Components = {
  a: ({ href, children }) => <SafeLink address={href ?? ''}>{children}</SafeLink>,
  // Nothing is loaded that a message names: an image is a link with its words.
  img: ({ src, alt }) => (
    <SafeLink address={typeof src === 'string' ? src : ''}>
      {alt === undefined || alt === '' ? 'image' : `image: ${alt}`}
    </SafeLink>
  ),
  input: ({ checked }) => <span aria-hidden="true">{checked === true ? '☑ ' : '☐ '}</span>,
  h1: heading('text-lg'),
  h2: heading('text-lg'),
  h3: heading('text-md'),
  h4: heading('text-md'),
  h5: heading('text-sm'),
  h6: heading('text-sm'),
  p: ({ children }) => <p dir="auto">{children}</p>,
  li: ({ children }) => <li dir="auto">{children}</li>,
  ul: ({ children }) => <ul className="list-disc space-y-0.5 ps-5">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="list-decimal space-y-0.5 ps-6">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => <blockquote className="border-line text-muted border-s-2 ps-3">{children}</blockquote>,
  hr: () => <hr className="border-line" />,
  pre: ({ children }) => (
    <pre
      tabIndex={0}
      className="bg-sunken overflow-x-auto rounded-md p-3 font-mono text-xs leading-5 [&>code]:bg-transparent [&>code]:p-0"
    >
      {children}
    </pre>
  ),
  code: ({ children }) => <code className="bg-sunken rounded-sm px-1 py-0.5 font-mono text-xs">{children}</code>,
  table: ({ children }) => (
    <div tabIndex={0} role="region" aria-label="Table" className="overflow-x-auto">
      <table className="border-line border-collapse border text-left">{children}</table>
    </div>
  ),
  th: ({ children }) => (
    <th dir="auto" className="border-line bg-sunken border px-2 py-1 font-medium">
      {children}
    </th>
  ),
  td: ({ children }) => (
    <td dir="auto" className="border-line border px-2 py-1">
      {children}
    </td>
  ),
};

const plugins = [remarkGfm];
const asItIs = (address: string): string => address; // judged where a link is made

/** Markdown as elements. HTML in it is text; a link leads to the web or to mail, or it is text too. */
export default function Markdown({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={asItIs}>
      {text}
    </ReactMarkdown>
  );
}

function SafeLink({ address, children }: { address: string; children: ComponentProps<'a'>['children'] }) {
  const href = safeHref(address);
  if (href === null) return <span>{children}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent underline underline-offset-2"
    >
      {children}
    </a>
  );
}
