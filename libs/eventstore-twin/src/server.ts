import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import type { sendUnaryData, ServerDuplexStream, ServerReadableStream, ServerUnaryCall } from '@grpc/grpc-js';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { ClusterInfo, EndPoint, MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { randomUUID } from 'node:crypto';
import { CommitQueue } from './commit-queue.js';
import { Faults } from './faults.js';
import { ProtocolLog } from './log.js';
import { uuidMessage } from './messages.js';
import { read } from './reads.js';
import type { ReadCall, ReadContext } from './reads.js';
import { append, batchAppend, softDelete, tombstone } from './writes.js';
import type { WriteContext } from './writes.js';

export interface ProtocolServerOptions {
  /** 0 or absent: a free one. */
  port?: number;
  host?: string;
  /** Folder of the log's file; null keeps the log in memory. */
  folder: string | null;
  /** Calls one connection carries at a time; default 100, as the real server. */
  streamsPerConnectionMax?: number;
  /** Largest append; default 1 MiB. */
  appendBytesMax?: number;
}

const streamsPerConnection = 100;
const appendBytes = 1024 * 1024;
const messageBytes = 17 * 1024 * 1024;

/**
 * Speaks the event store's gRPC protocol over a small durable log.
 *
 * Promises: the append rules of `decide`; what was answered as written survives the end of the process; reads, `$all`,
 *           filtered subscriptions with checkpoints and `caughtUp`, stream metadata (`$tb`, `$maxCount`), soft and
 *           final deletion.
 * Does not promise: `$maxAge`, access control, TLS, clusters, persistent subscriptions, projections, subscriptions to
 *                   one stream.
 */
export class ProtocolServer {
  readonly faults = new Faults();
  private readonly server: Server;
  private readonly log: ProtocolLog;
  private readonly queue: CommitQueue;
  private readonly subscriptions = new Set<ReadCall>();
  private readonly host: string;
  private boundPort: number;

  constructor(private readonly options: ProtocolServerOptions) {
    this.host = options.host ?? '127.0.0.1';
    this.boundPort = options.port ?? 0;
    this.log = new ProtocolLog(options.folder);
    this.queue = new CommitQueue(this.log);
    this.server = new Server({
      'grpc.max_concurrent_streams': options.streamsPerConnectionMax ?? streamsPerConnection,
      'grpc.max_receive_message_length': messageBytes,
      'grpc.max_send_message_length': messageBytes,
    });
    this.addServices();
  }

  /** Starts; gives the address in the client's form. */
  async listen(): Promise<string> {
    this.boundPort = await new Promise<number>((resolve, reject) => {
      this.server.bindAsync(`${this.host}:${this.boundPort}`, ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
    return this.url;
  }

  get url(): string {
    return `esdb://${this.host}:${this.boundPort}?tls=false`;
  }

  get port(): number {
    return this.boundPort;
  }

  /** How many subscriptions run. */
  get subscriptionCount(): number {
    return this.subscriptions.size;
  }

  /** How many subscriptions wait for a reader that does not keep up. */
  get slowReaders(): number {
    return [...this.subscriptions].filter(({ writableNeedDrain }) => writableNeedDrain).length;
  }

  /** Ends every trouble asked for; what was lost meanwhile stays lost. */
  recover(): void {
    this.faults.clear();
    this.queue.wakeFollowers();
  }

  /** Breaks off every running subscription as a dying node does. */
  dropSubscriptions(): void {
    for (const call of this.subscriptions) call.emit('error', { code: status.UNAVAILABLE, details: 'dropped' });
  }

  /** Closes every connection at once; new ones are accepted. */
  dropConnections(): void {
    this.server.drain(`${this.host}:${this.boundPort}`, 0);
  }

  /** Ends at once, as a kill does: calls are broken off, the log is closed. */
  close(): void {
    this.server.forceShutdown();
    this.log.close();
  }

  private addServices(): void {
    const { faults, log, queue, subscriptions } = this;
    const writing: WriteContext = { queue, faults, appendBytesMax: this.options.appendBytesMax ?? appendBytes };
    const reading: ReadContext = { log, queue, faults, subscriptions };
    this.server.addService(StreamsService, {
      read: (call: ReadCall) => {
        read(call, reading).catch((error: unknown) =>
          call.emit('error', { code: status.UNAVAILABLE, details: String(error) }),
        );
      },
      append: (call: ServerReadableStream<AppendReq, AppendResp>, respond: sendUnaryData<AppendResp>) =>
        append(call, respond, writing),
      batchAppend: (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) => batchAppend(call, writing),
      delete: (call: ServerUnaryCall<DeleteReq, DeleteResp>, respond: sendUnaryData<DeleteResp>) =>
        softDelete(call, respond, writing),
      tombstone: (call: ServerUnaryCall<TombstoneReq, TombstoneResp>, respond: sendUnaryData<TombstoneResp>) =>
        tombstone(call, respond, writing),
    });
    this.server.addService(ServerFeaturesService, {
      getSupportedMethods: (
        _call: ServerUnaryCall<Empty, SupportedMethods>,
        respond: sendUnaryData<SupportedMethods>,
      ) => {
        this.answer(respond, supportedMethods());
      },
    });
    this.server.addService(GossipService, {
      read: (_call: ServerUnaryCall<Empty, ClusterInfo>, respond: sendUnaryData<ClusterInfo>) =>
        this.answer(respond, this.members()),
    });
  }

  private answer<R>(respond: sendUnaryData<R>, response: R): void {
    const admission = this.faults.admit();
    if (admission === 'go') respond(null, response);
    else if (admission !== 'never_answer') respond(admission);
  }

  private members(): ClusterInfo {
    const leader = new MemberInfo()
      .setInstanceId(uuidMessage(randomUUID(), false))
      .setTimeStamp(String(Date.now()))
      .setState(MemberInfo.VNodeState.LEADER)
      .setIsAlive(true)
      .setHttpEndPoint(new EndPoint().setAddress(this.host).setPort(this.boundPort));
    return new ClusterInfo().setMembersList([leader]);
  }
}

function supportedMethods(): SupportedMethods {
  const methods = Object.values(StreamsService).map(({ path }) => {
    const [, service = '', name = ''] = path.split('/');
    return new SupportedMethod().setServiceName(service.toLowerCase()).setMethodName(name.toLowerCase());
  });
  return new SupportedMethods().setMethodsList(methods).setEventStoreServerVersion('23.10.0');
}
