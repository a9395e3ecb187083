export { KeyReminders, RotationList } from './rotation-list'
export {
  findFailure,
  findProgress,
  isEnded,
  isHandingOver,
  listFailedTools,
  needsPerson,
  stepIds,
  undoStepIds,
  useRotationActions,
  useRotations,
  useStepTexts,
} from './rotations'
