// Measures that run inside the console's page. Each gives a promise; the flow evaluates the file and calls them by name.

/** The frame that the transcript scrolls in. */
const log = () => document.querySelector('[role=log]');
const picture = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Milliseconds from the next click until the transcript has the text. */
function shownAfterClick(said) {
  return new Promise((resolve) => {
    let from = 0;
    const note = () => {
      from = performance.now();
    };
    addEventListener('click', note, { once: true, capture: true });
    const look = () => {
      if (from > 0 && log()?.textContent.includes(said)) resolve(performance.now() - from);
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** Scrolls up for so many milliseconds as a wheel does; gives how far, and the longest task that held the page up. */
async function scrolledUp(ms) {
  let longest = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  observer.observe({ entryTypes: ['longtask'] });
  const began = performance.now();
  let moved = 0;
  while (performance.now() - began < ms) {
    const before = log().scrollTop;
    log().scrollTop -= 90;
    moved += before - log().scrollTop;
    await picture();
  }
  observer.disconnect();
  return { longest, moved };
}

/**
 * Scrolls up step by step to the top; gives by how many pixels a row in the middle went another way at each step, or
 * further than it was scrolled. A step that is lost while rows join is none.
 */
async function jumpsOnTheWayUp() {
  const found = [];
  for (let step = 0; step < 400 && log().scrollTop > 0; step += 1) {
    const edge = log().getBoundingClientRect().top + 100;
    const middle = [...log().querySelectorAll('[data-row-id]')].find((row) => row.getBoundingClientRect().top > edge);
    const before = middle?.getBoundingClientRect().top ?? 0;
    const from = log().scrollTop;
    log().scrollTop -= 60;
    const by = from - log().scrollTop;
    await picture();
    await picture();
    if (!middle?.isConnected) continue;
    const moved = middle.getBoundingClientRect().top - before;
    found.push(Math.max(0, -moved, moved - by));
  }
  return found;
}

/** For so many milliseconds: the rows that change beside the one that grows, and whether that one did. */
async function changedBesideTheGrowing(ms) {
  const growing = document.querySelector('[data-status=streaming]');
  const others = new Set();
  let changes = 0;
  const observer = new MutationObserver((records) => {
    for (const { target } of records) {
      const row = (target instanceof Element ? target : target.parentElement)?.closest('[data-row-id]');
      if (row === growing) changes += 1;
      else if (row) others.add(row.getAttribute('data-row-id'));
    }
  });
  observer.observe(log(), { subtree: true, childList: true, characterData: true, attributes: true });
  await new Promise((resolve) => setTimeout(resolve, ms));
  observer.disconnect();
  return { others: [...others], grew: changes > 0 };
}

Object.assign(globalThis, { shownAfterClick, scrolledUp, jumpsOnTheWayUp, changedBesideTheGrowing });
