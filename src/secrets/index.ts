/** Exports what other rooms use of this one. They import `settings.ts` directly, so that commands that search no text load no more. */
export { redactedBytes } from './bytes.ts';
export { emptied } from './emptied.ts';
export { sensitiveValues } from './environment.ts';
export { isSecretFile } from './files.ts';
export { findSecrets } from './find.ts';
export { tellsOfSearch } from './foreign.ts';
export { grows } from './growing.ts';
export { linearPattern } from './linear.ts';
export { markerOf } from './marker.ts';
export { isPathKey, isSecretPath, isTakenKey, secretFileIn } from './named.ts';
export { MOST_VALUES, OpenKey } from './open-key.ts';
export { type RedactionOptions, redactionRules } from './options.ts';
export { type Label, markerFor, redactText, redactValue } from './redact.ts';
export { type Place, searchText } from './search.ts';
export { withoutFound } from './searched.ts';
export { piecesWithoutSelections, withoutSelections } from './selections.ts';
export { listOf, mapped } from './walk.ts';
export { withoutSecretFiles } from './withheld.ts';
