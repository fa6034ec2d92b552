import { decider } from '@aos/kernel';
import {
  abandonUpload,
  beginUpload,
  changeArtifactCustody,
  deleteArtifact,
  eraseUploads,
  namePiece,
  storeArtifact,
} from './artifact/artifact.decide.js';
import { beginConversion, endConversion, nameText } from './artifact/conversion.decide.js';
import { artifactKind } from './artifact/artifact.state.js';

export const artifactDecider = decider(artifactKind, {
  beginUpload,
  namePiece,
  storeArtifact,
  abandonUpload,
  beginConversion,
  nameText,
  endConversion,
  changeArtifactCustody,
  deleteArtifact,
  eraseUploads,
});
