import type { MethodInput, Site, ToolWarning } from '@shared/contract'
import i18next from 'i18next'
import { Info, KeyRound, TriangleAlert, X } from 'lucide-react'
import { useNavigate } from 'react-router'
import { CopyText } from '../../copy-text'
import type { RemedyHandlers } from '../../failures'
import { call, useAction, useCall } from '../../ipc'
import { pointPath } from '../../paths'
import { useToastAction } from '../../toast-actions'
import { Button } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { Code } from '../../ui/code'
import { IconButton } from '../../ui/icon-button'
import { useCopyKey, useToolName } from '../connections/account'
import { useModelQuotas } from '../usage/quota'
import { type SiteTool, setupKey, toolPath, toToolLocation, userSite } from './setups'
import { type FormOverrides, pickInForm } from './tool-form'

const t = i18next.getFixedT(null, 'tools')

type WarningCode = ToolWarning['code']

/** Warnings that a secret may leak or the setup may not work. All other warnings are only informational. */
const severeWarnings: readonly WarningCode[] = [
  'plainText',
  'toolWritesKey',
  'fileReplaced',
  'otherProviderSwitch',
  'toolStops',
  'shellVariable',
  'rivalFile',
  'keySentElsewhere',
  'foreignCredential',
  'agentModel',
  'modelNotInPlan',
  'laterValueReplaced',
  'keyInRepository',
  'sessionsNeedProvider',
  'modelRefused',
  'remoteMaker',
  'variableNeeded',
  'keyInTool',
  'notCopied',
]

/** Character that replaces the subject in a translated sentence, so that the subject can be rendered as code. */
const subjectSeparator = '\u2028'

const subjectByCode: Partial<Record<WarningCode, 'keyFile' | 'copy' | 'variable' | 'model' | 'address'>> = {
  keyFile: 'keyFile',
  commentsMoved: 'copy',
  shellVariable: 'variable',
  otherProviderSwitch: 'variable',
  variableNeeded: 'variable',
  modelRefused: 'model',
  remoteMaker: 'address',
}

function WarningText({ warning, toolId }: { readonly warning: ToolWarning; readonly toolId: string }) {
  const tool = useToolName()(toolId)
  const { code, subject, path, origin } = warning
  const warningSubject = subject ?? path
  const [textBefore, textAfter] = t(`warnings.${code}`, { subject: subjectSeparator, tool }).split(subjectSeparator)
  return (
    <>
      {textBefore}
      {textAfter === undefined ? null : warningSubject === undefined ? (
        t(`warnings.subjects.${subjectByCode[code] ?? 'settings'}`)
      ) : (
        <Code wrap>{warningSubject}</Code>
      )}
      {textAfter}
      {origin === undefined ? null : ` ${t(`warnings.origins.${origin}`)}`}
      {path === undefined || path === warningSubject ? null : (
        <>
          {' '}
          <Code wrap>{path}</Code>
        </>
      )}
    </>
  )
}

interface ToolWarningsProps {
  readonly warnings: readonly ToolWarning[]
  readonly toolId: string
  readonly site?: Site | undefined
  /** Key to copy into the tool's own window, if the plan has one. */
  readonly keyRef?: { readonly planId: string; readonly keyId?: string | undefined } | undefined
  /** Removes a conflicting setting in a new preview. */
  readonly onTakeOut?: ((path: string) => void) | undefined
}

/** List of warnings, severe ones first. */
export function ToolWarnings({ warnings, ...setup }: ToolWarningsProps) {
  if (warnings.length === 0) return null
  const getWarningRank = ({ code }: ToolWarning): number => (severeWarnings.includes(code) ? 0 : 1)
  return (
    <ul className="flex flex-col gap-2" aria-label={t('warnings.title')}>
      {warnings
        .toSorted((a, b) => getWarningRank(a) - getWarningRank(b))
        .map((warning) => {
          const { code, subject = '', path = '', origin = '' } = warning
          const isSevere = severeWarnings.includes(code)
          const Icon = isSevere ? TriangleAlert : Info
          return (
            <li
              key={[code, subject, path, origin].join(' ')}
              className={joinClassNames(
                'flex select-text flex-wrap gap-x-2 gap-y-1 wrap-anywhere',
                !isSevere && 'text-muted',
              )}
            >
              <Icon
                size={15}
                strokeWidth={1.9}
                className={joinClassNames('mt-0.5', isSevere ? 'text-warning' : 'text-faint')}
                aria-hidden="true"
              />
              <span className="min-w-0 flex-[1_1_320px]">
                <WarningText warning={warning} toolId={setup.toolId} />
              </span>
              <WarningFix warning={warning} {...setup} />
            </li>
          )
        })}
    </ul>
  )
}

/** Warnings of a preview, and settings that the user removes with the change. */
export function PreviewNotes(
  props: Omit<ToolWarningsProps, 'onTakeOut'> & {
    /** Paths of conflicting settings that the user removes with the change. */
    readonly removed: readonly string[] | undefined
    readonly onRemove: (paths: readonly string[]) => void
  },
) {
  const { removed = [], onRemove, ...warnings } = props
  return (
    <>
      <ToolWarnings {...warnings} onTakeOut={(path) => onRemove([...removed, path])} />
      {removed.length === 0 ? null : (
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">
          {t('fixes.takenOut')}
          {removed.map((path) => (
            <span key={path} className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <Code>{path}</Code>
              <IconButton
                icon={X}
                size="sm"
                label={t('fixes.leaveIn', { setting: path })}
                onClick={() => onRemove(removed.filter((removedPath) => removedPath !== path))}
              />
            </span>
          ))}
        </p>
      )}
    </>
  )
}

function WarningFix(props: Omit<ToolWarningsProps, 'warnings'> & { readonly warning: ToolWarning }) {
  const { warning, toolId, site = userSite, keyRef, onTakeOut } = props
  const showFile = useShowFile()
  const { code, fix, subject, path, text } = warning
  if (code === 'keyInTool') {
    const { planId, keyId } = keyRef ?? {}
    return planId === undefined || keyId === undefined ? null : <CopyKeyButton planId={planId} keyId={keyId} />
  }
  if (text !== undefined && (fix === undefined || fix === 'copyLine')) {
    return (
      <span
        className={joinClassNames(
          'ml-5.75 flex flex-[1_1_100%] items-center gap-2 rounded-md border bg-well py-1 pr-1',
          'pl-2.5 text-text',
        )}
      >
        <code className="min-w-0 flex-1 whitespace-pre-wrap wrap-anywhere">{text}</code>
        <CopyText text={text} label={t('fixes.copyLine')} />
      </span>
    )
  }
  if (fix === 'openFile') {
    return (
      <Button
        size="sm"
        onClick={() => showFile({ ...toToolLocation(toolId, site), ...(path !== undefined && { path }) })}
      >
        {t('fixes.openFile')}
      </Button>
    )
  }
  if (fix === 'takeOut' && subject !== undefined && onTakeOut) {
    return (
      <Button size="sm" onClick={() => onTakeOut(subject)}>
        {t('fixes.takeOut')}
      </Button>
    )
  }
  return null
}

/** Button that copies the key to the clipboard. The main process does it, so that the key never enters this window. */
export function CopyKeyButton({ planId, keyId }: { readonly planId: string; readonly keyId: string }) {
  const copyKeyAction = useCopyKey(planId)
  return (
    <Button
      size="sm"
      icon={KeyRound}
      busy={copyKeyAction.isPending}
      onClick={() => copyKeyAction.mutate({ planId, keyId })}
    >
      {t('fixes.copyKey')}
    </Button>
  )
}

export function useRemedies(tool: SiteTool, planId: string | undefined, retry: () => void): RemedyHandlers {
  const navigate = useNavigate()
  const showFile = useShowFile()
  const { mutate: startSandbox } = useAction('sandbox.open', { onSuccess: retry })
  const { mutate: startRelay } = useAction('relay.start', { invalidates: ['relay', 'tools'], onSuccess: retry })
  const openConfigurePage = (): void => void navigate(toolPath(tool.id, 'configure', tool.site))
  const otherModelPath = useOtherModelPath(tool)
  const toPlan = (query: string) =>
    planId === undefined ? undefined : () => void navigate(`/plans/${planId}?${query}`)
  return {
    tryAgain: retry,
    pasteKey: toPlan('paste=1'),
    // If the tool's settings were changed, the wrong address comes from them and not from the plan.
    setAddress: tool.status === 'drifted' ? openConfigurePage : toPlan('edit=1'),
    chooseModel: () => void navigate(otherModelPath),
    choosePlan: openConfigurePage,
    chooseKey: openConfigurePage,
    useNewKey: openConfigurePage,
    configure: openConfigurePage,
    showFile: () => showFile(toToolLocation(tool.id, tool.site)),
    startSandbox: () => startSandbox({}),
    startRelay: () => startRelay({}),
    pointAtPlan: tool.routes.includes('gateway')
      ? () => void navigate(pointPath({ to: 'gateway', toolIds: [tool.id] }))
      : undefined,
    recheckVault: () => void call('app.recheckVault', {}).then(retry, retry),
  }
}

/** Path of the form with another model of the plan that has quota left, if there is one. */
export function useOtherModelPath({ id, site, applied }: SiteTool): string {
  const { data: plans = [] } = useCall('plans.list', {})
  const exhausted = useModelQuotas().listExhausted(applied?.planId ?? '')
  const models = plans.find((plan) => plan.id === applied?.planId)?.models ?? []
  const modelCode = models.find((code) => code !== applied?.modelCode && !exhausted.has(code))
  const path = toolPath(id, 'configure', site)
  return modelCode === undefined ? path : `${path}&model=${encodeURIComponent(modelCode)}`
}

/** Shows a file of a tool in the file manager, by default the file with the gateway address. */
export function useShowFile(): (file: MethodInput<'tools.showFile'>) => void {
  return useToastAction('tools.showFile').mutate
}

/** Opens the form with values that are already selected. Writes nothing. */
export function useOpenForm(): (tool: Pick<SiteTool, 'id' | 'site'>, change: FormOverrides) => void {
  const navigate = useNavigate()
  return ({ id, site }, change) => {
    pickInForm(setupKey(id, site), change)
    void navigate(toolPath(id, 'configure', site))
  }
}
