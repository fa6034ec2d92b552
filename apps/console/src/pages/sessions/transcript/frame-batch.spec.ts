import { frameBatch } from './frame-batch';

function frames(isHidden: boolean) {
  const pictures: (() => void)[] = [];
  const timers: (() => void)[] = [];
  return {
    pictures,
    timers,
    isHidden: () => isHidden,
    request: (run: () => void) => pictures.push(run),
    later: (run: () => void) => timers.push(run),
  };
}

describe('changes before a picture', () => {
  it('are carried out once with the next picture', () => {
    let runs = 0;
    const page = frames(false);
    const change = frameBatch(() => (runs += 1), page);
    change();
    change();
    expect(page.pictures.length).toBe(1);
    page.pictures[0]?.();
    page.timers[0]?.();
    expect(runs).toBe(1);
    change();
    page.pictures[1]?.();
    expect(runs).toBe(2);
  });

  it('are carried out a little later on a page that is not shown', () => {
    let runs = 0;
    const page = frames(true);
    frameBatch(() => (runs += 1), page)();
    expect(page.pictures).toEqual([]);
    page.timers[0]?.();
    expect(runs).toBe(1);
  });
});
