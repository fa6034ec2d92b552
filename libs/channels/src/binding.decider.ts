import { decider } from '@aos/kernel';
import { bindingKind } from './binding/binding.state.js';
import { deleteBinding, saveBinding } from './bindings/bindings.decide.js';

/** All that can happen to the binding of an account. */
export const bindingDecider = decider(bindingKind, { saveBinding, deleteBinding });
