/** Exports what other rooms use of this one. They import `settings.ts` directly, so that commands that search no text load no more. */

export { describesSearch } from './agent-formats.ts';
export { redactedBytes } from './bytes.ts';
export { sensitiveValues } from './environment.ts';
export { isPathKey, isSecretPath, isTakenKey, secretFileIn } from './file-references.ts';
export { findSecrets } from './find.ts';
export { grows } from './growing-texts.ts';
export { linearPattern } from './linear.ts';
export { mapList, mapObject } from './map-json.ts';
export { markerOf } from './marker.ts';
export { metadataOnly } from './metadata-only.ts';
export { MOST_VALUES, OpenKey } from './open-key.ts';
export { type RedactionOptions, redactionRules } from './options.ts';
export { type Label, markerFor, redactText, redactValue } from './redact.ts';
export { type Place, searchText } from './search.ts';
export { withoutSecretMatches } from './search-calls.ts';
export { isSecretFile } from './secret-files.ts';
export { piecesWithoutSelections, withoutSelections } from './selections.ts';
export { withoutSecretFiles } from './withheld.ts';
