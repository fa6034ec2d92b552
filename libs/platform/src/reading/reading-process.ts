/** Gives a result, or `{ failure }` for a fault of the work. */
type Read = (work: unknown) => object | Promise<object>;

const [, , file] = process.argv;

async function answer(read: Read, work: unknown): Promise<void> {
  process.send?.('ready');
  const result = await read(work);
  process.send?.(result, () => {
    process.disconnect();
  });
}

process.once('disconnect', () => {
  process.exit();
});
void import(file as string).then(({ read }: { read: Read }) => {
  process.once('message', (work) => {
    void answer(read, work);
  });
});
