export { KeyReminders, RotationList } from './rotation-list'
export {
  findFailure,
  findProgress,
  isEnded,
  isHandoverOpen,
  listFailedTools,
  needsUserAction,
  stepIds,
  undoStepIds,
  useRotationActions,
  useRotations,
  useStepTexts,
} from './rotations'
