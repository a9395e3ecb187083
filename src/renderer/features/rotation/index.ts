export { KeyReminders } from './key-reminders'
export {
  failureOf,
  isEnded,
  isHandingOver,
  leftTools,
  needsPerson,
  placeOf,
  stepIds,
  undoStepIds,
  useStepWords,
} from './progress'
export { RotationList } from './rotation-list'
export { useRotationActions, useRotations } from './use-rotations'
