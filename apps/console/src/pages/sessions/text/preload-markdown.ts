/** Has the reader of Markdown loaded before the first row needs it. */
export function preloadMarkdown(): void {
  void import('./markdown');
}
