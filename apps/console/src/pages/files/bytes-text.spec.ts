import { bytesText } from './bytes-text';

it('says how large a file is', () => {
  expect([0, 1, 1_023, 1_024, 1_536, 1_048_575, 1_048_576, 5 * 1_024 ** 3, 3 * 1_024 ** 5].map(bytesText)).toEqual([
    '0 bytes',
    '1 byte',
    '1023 bytes',
    '1 KB',
    '1.5 KB',
    '1 MB',
    '1 MB',
    '5 GB',
    '3,072 TB',
  ]);
});
