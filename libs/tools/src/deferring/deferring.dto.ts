import type { Json } from '@aos/kernel';
import { Utf8BytesMax } from '@aos/platform';
import { deferredErrorBytesMax } from '../deliveries/attempts.decide.js';

/** Exactly one of the two. */
export class DeliveryResultDto {
  output?: Json;

  @Utf8BytesMax(deferredErrorBytesMax)
  error?: string;
}
