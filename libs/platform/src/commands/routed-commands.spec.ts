import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandHandler, CqrsModule, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway, type Identity } from '@aos/kernel';
import { operatorIdentity } from '../http/server/operator-identity.js';
import { CallerCommand } from './caller-command.js';
import { LocalCommandGateway } from './local-command-gateway.js';
import { commandHandlersIn } from './command-handlers-in.js';
import { CommandSender } from './command-sender.js';
import { Routed, routedNamed } from './routed.js';
import { RoutedCommands, RoutedCommandsExplorer } from './routed-commands.js';

const input = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string' } },
  additionalProperties: false,
};

@Routed('notes.write', { stream: 'note', input })
class WriteNote extends CallerCommand<{ text: string }, { wrote: string; by: string; delivery: string | null }> {}

@CommandHandler(WriteNote)
class WriteNoteHandler implements ICommandHandler<WriteNote> {
  async execute({ who, input: { text }, deliveryId }: WriteNote) {
    return { wrote: text, by: who.principalId, delivery: deliveryId };
  }
}

@Routed('notes.sweep', { stream: 'note', input: { type: 'object' }, callers: 'system' })
class SweepNotes extends CallerCommand<Record<string, never>, { swept: boolean }> {}

@CommandHandler(SweepNotes)
class SweepNotesHandler implements ICommandHandler<SweepNotes> {
  async execute() {
    return { swept: true };
  }
}

@Routed('notes.reseal', { service: 'note-service', input: { type: 'object' }, callers: 'operator' })
class ResealNotes extends CallerCommand<Record<string, never>, { resealed: number }> {}

@CommandHandler(ResealNotes)
class ResealNotesHandler implements ICommandHandler<ResealNotes> {
  async execute() {
    return { resealed: 1 };
  }
}

class Unrouted extends CallerCommand<Record<string, never>, null> {}

const file = { WriteNote, WriteNoteHandler, SweepNotesHandler, ResealNotesHandler, other: 1 };

@Module({
  imports: [CqrsModule.forRoot()],
  providers: [
    RoutedCommands,
    RoutedCommandsExplorer,
    CommandSender,
    {
      provide: CommandGateway,
      useFactory: (routed: RoutedCommands) => new LocalCommandGateway(routed),
      inject: [RoutedCommands],
    },
    ...commandHandlersIn(file),
  ],
})
class NotesModule {}

const who: Identity = { ...operatorIdentity('r1'), orgId: 'org_1', principalId: 'user_1', kind: 'human' };

describe('commands to another context', () => {
  const started = NestFactory.createApplicationContext(NotesModule, { logger: false, abortOnError: false });
  const sender = async () => (await started.then((app) => app.init())).get(CommandSender);
  afterAll(async () => (await started).close());

  it('are handled by the handler that a module lists, with who, input and delivery id', async () => {
    expect(await (await sender()).send(new WriteNote(who, { text: 'a' }, 'd1'))).toEqual({
      wrote: 'a',
      by: 'user_1',
      delivery: 'd1',
    });
  });

  it('are refused with an input that their schema does not allow, on both sides', async () => {
    const wrong = { text: 1 } as unknown as { text: string };
    const refused = { code: 'bad_request', details: { issues: [expect.objectContaining({ path: '/text' })] } };
    await expect((await sender()).send(new WriteNote(who, wrong, 'd1'))).rejects.toMatchObject(refused);
    const arrived = { name: 'notes.write', payload: { text: 1 }, identity: who, deliveryId: 'd1' };
    await expect((await started).get(CommandGateway).send(arrived)).rejects.toMatchObject(refused);
  });

  it('are the service’s own or the operator’s where they say so', async () => {
    const system: Identity = { ...who, kind: 'system' };
    await expect((await sender()).send(new SweepNotes(who, {}, 'd1'))).rejects.toMatchObject({ code: 'forbidden' });
    expect(await (await sender()).send(new SweepNotes(system, {}, 'd1'))).toEqual({ swept: true });
    await expect((await sender()).send(new ResealNotes(system, {}, 'd1'))).rejects.toMatchObject({ code: 'not_found' });
    expect(await (await sender()).send(new ResealNotes(operatorIdentity('r'), {}, 'd1'))).toEqual({ resealed: 1 });
  });

  it('need a declaration, a delivery id, and a name of their own', async () => {
    await expect((await sender()).send(new Unrouted(who, {}, 'd1'))).rejects.toThrow('is not routed');
    await expect((await sender()).send(new WriteNote(who, { text: 'a' }))).rejects.toThrow('without a delivery id');
    expect(() => {
      Routed('notes.write', { stream: 'note', input })(Unrouted);
    }).toThrow('two commands');
    expect(() => {
      Routed('Notes', { stream: 'note', input })(Unrouted);
    }).toThrow("not a command's name");
    expect(routedNamed('notes.write')?.owner).toMatchObject({ stream: 'note' });
    expect(routedNamed('notes.unheard')).toBeNull();
  });
});
