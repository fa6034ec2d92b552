// In the place of react-remove-scroll in a page whose styles are allowed by hash: that one adds style elements. The page's
// own style keeps it from scrolling under a dialog.
export const RemoveScroll = ({ children }) => children;
