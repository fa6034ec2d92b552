/** As long as a page that is not shown waits: the browser gives it no frames. */
const hiddenMs = 500;

export interface Frames {
  isHidden(): boolean;
  request(run: () => void): void;
  later(run: () => void, ms: number): void;
}

const ofBrowser: Frames = {
  isHidden: () => document.hidden,
  request: (run) => {
    requestAnimationFrame(run);
  },
  later: (run, ms) => {
    setTimeout(run, ms);
  },
};

/** Gives a function that has `run` called once before the next picture, however often it is called until then. */
export function frameBatch(run: () => void, frames: Frames = ofBrowser): () => void {
  let isWanted = false;
  const carryOut = () => {
    if (!isWanted) return;
    isWanted = false;
    run();
  };
  return () => {
    if (isWanted) return;
    isWanted = true;
    if (!frames.isHidden()) frames.request(carryOut);
    frames.later(carryOut, hiddenMs); // a page that is hidden meanwhile gets no picture either
  };
}
