/** The model of a session, as an answer or an update tells it: in a list of models, or among the options of the session. */
import { type JsonObject, objectOf } from '../../core/json.ts';
import { idOf } from '../shared/fields.ts';

/** The model that is chosen now; undefined where that is not told. */
export function modelIn(told: JsonObject | undefined): string | undefined {
  const options = Array.isArray(told?.['configOptions']) ? told['configOptions'].map(objectOf) : [];
  const chosen = options.find((option) => option?.['category'] === 'model');
  return idOf(chosen?.['currentValue']) ?? idOf(objectOf(told?.['models'])?.['currentModelId']);
}
