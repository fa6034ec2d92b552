/** Why a process cannot start, in one sentence that names the setting: for its operator, who is shown no stack. */
export class StartFault extends Error {
  override readonly name: string = 'StartFault';
}
