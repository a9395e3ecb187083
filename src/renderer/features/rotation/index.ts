export { KeyReminders, RotationList } from './rotation-list'
export {
  failureOf,
  isEnded,
  isHandingOver,
  leftTools,
  needsPerson,
  placeOf,
  stepIds,
  undoStepIds,
  useRotationActions,
  useRotations,
  useStepWords,
} from './rotations'
