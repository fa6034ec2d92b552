import { FairQueue } from '@aos/kernel';
import {
  waitingBytesMax,
  waitingBytesPerOrganizationMax,
  waitingMax,
  waitingPerOrganizationMax,
} from './document.limits.js';

interface Sized {
  readonly orgId: string;
  readonly bytes: Uint8Array;
}

/** Documents that wait to be read, the organizations in turns; bounded by number and by bytes. */
export class WaitingDocuments<Document extends Sized> {
  private readonly queue = new FairQueue<Document>(waitingPerOrganizationMax, waitingMax);
  private readonly bytesOf = new Map<string, number>();
  private bytes = 0;

  /** False: there is no room for it. */
  push(document: Document): boolean {
    const { orgId, bytes } = document;
    const own = (this.bytesOf.get(orgId) ?? 0) + bytes.length;
    const isOver = own > waitingBytesPerOrganizationMax || this.bytes + bytes.length > waitingBytesMax;
    if (isOver || !this.queue.hasRoom(orgId)) return false;
    this.queue.push(orgId, document);
    this.count(orgId, bytes.length);
    return true;
  }

  shift(): Document | undefined {
    const document = this.queue.shift(() => true);
    if (document) this.count(document.orgId, -document.bytes.length);
    return document;
  }

  private count(orgId: string, bytes: number): void {
    this.bytes += bytes;
    const own = (this.bytesOf.get(orgId) ?? 0) + bytes;
    if (own === 0) this.bytesOf.delete(orgId);
    else this.bytesOf.set(orgId, own);
  }
}
