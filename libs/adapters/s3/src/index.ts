export { S3Blobs } from './s3-blobs.js';
export type { S3Options } from './s3-blobs.js';
