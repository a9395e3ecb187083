import type { RotatedTool, RotationView } from '@shared/contract'
import { Copy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatList, useFormats } from '../../../format'
import { useFailureTexts } from '../../../i18n/failures'
import { StatusDot, type Tone } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Section } from '../../../ui/page'
import { InlineDetails, Row, Rows } from '../../../ui/rows'
import { useCopyKey } from '../../connections/account'
import { setupKey, ToolInitials, toolPath, useFormatSite } from '../../tools'
import { isOverlapping, type RotationActions } from './rotations'

const tones: Record<RotatedTool['state'], Tone> = {
  pending: 'neutral',
  repointed: 'accent',
  verified: 'success',
  failed: 'danger',
}

interface ToolProps {
  readonly tool: RotatedTool
  readonly rotation: RotationView
  readonly actions: RotationActions
}

function ManualDelivery({ tool, rotation, actions }: ToolProps) {
  const { t } = useTranslation('rotation')
  const { planId, oldKeyId, newKeyId, undoSteps } = rotation
  const copyKeyAction = useCopyKey(planId)
  const keyId = undoSteps ? oldKeyId : newKeyId
  const name = { tool: tool.toolName }
  return (
    <>
      {keyId === undefined ? null : (
        <Button
          size="sm"
          icon={Copy}
          busy={copyKeyAction.isPending}
          aria-label={t('tools.copyKeyNamed', name)}
          onClick={() => copyKeyAction.mutate({ planId, keyId })}
        >
          {t('tools.copyKey')}
        </Button>
      )}
      <Button
        size="sm"
        variant="primary"
        busy={actions.isConfirming}
        aria-label={t('tools.isDoneNamed', name)}
        onClick={() => actions.confirmTool(tool)}
      >
        {t('tools.isDone')}
      </Button>
    </>
  )
}

function ToolRow(props: ToolProps) {
  const { tool, rotation } = props
  const isUndo = rotation.undoSteps !== undefined
  const { t } = useTranslation('rotation')
  const formatSite = useFormatSite()
  const getFailureTexts = useFailureTexts()
  const { toolId, toolName, site, state, failure, recordPath } = tool
  const failureTexts = failure && getFailureTexts(failure, { tool: toolName })
  // Replace the general text, because it suggests a preview, which a rotation does not have.
  const problem =
    failure?.code === 'file.changed'
      ? t('tools.changed')
      : failureTexts && `${failureTexts.title}. ${failureTexts.remedy}`
  const isUnknown = failure?.code === 'rotation.toolUnknown'
  return (
    <Row
      leading={<ToolInitials tool={{ name: toolName }} />}
      title={toolName}
      description={
        <>
          <InlineDetails items={[site.kind !== 'user' && formatSite(site)]} />
          {problem ? (
            <p className="text-danger">
              {problem}
              {recordPath === undefined ? null : <code className="block text-muted wrap-anywhere">{recordPath}</code>}
            </p>
          ) : null}
        </>
      }
      trailing={[
        <StatusDot
          key="statusDot"
          tone={tones[state]}
          label={isUnknown ? t('tools.unknown') : t(`tools.${isUndo ? 'statesBack' : 'states'}.${state}`)}
        />,
        failure?.code === 'rotation.keyByHand' ? (
          <ManualDelivery key="manualDelivery" {...props} />
        ) : (
          state === 'failed' && {
            label: t('tools.openNamed', { tool: toolName }),
            to: toolPath(toolId, undefined, site),
          }
        ),
      ]}
    />
  )
}

export function RotatedTools({ rotation, actions }: Omit<ToolProps, 'tool'>) {
  const { t } = useTranslation('rotation')
  const { tools } = rotation
  if (tools.length === 0) return null
  return (
    <Section title={t('view.tools')}>
      <Rows label={t('view.tools')}>
        {tools.map((tool) => (
          <ToolRow key={setupKey(tool.toolId, tool.site)} tool={tool} rotation={rotation} actions={actions} />
        ))}
      </Rows>
    </Section>
  )
}

type Tools = readonly Pick<RotatedTool, 'toolName' | 'site' | 'needsRestart'>[]

function useToolsToRestart(tools: Tools) {
  const formatToolNames = useToolNames()
  const toolsToRestart = tools.filter(({ needsRestart }) => needsRestart)
  const count = toolsToRestart.length
  return count === 0 ? undefined : { count, names: formatToolNames(toolsToRestart) }
}

/** Names running tools with the key that this step disables. `isBack`: the step of an undo. */
export function RestartHint({ tools, isBack = false }: { readonly tools: Tools; readonly isBack?: boolean }) {
  const { t } = useTranslation('rotation')
  const values = useToolsToRestart(tools)
  if (!values) return null
  return (
    <p className="mt-0.5 text-sm text-warning leading-5">{t(isBack ? 'restart.backHint' : 'restart.hint', values)}</p>
  )
}

const restartTexts = { before: 'restart.before', after: 'restart.title', back: 'restart.back' } as const

export function RestartCallout({ tools, when }: { readonly tools: Tools; readonly when: keyof typeof restartTexts }) {
  const { t } = useTranslation('rotation')
  const values = useToolsToRestart(tools)
  if (!values) return null
  return (
    <Callout tone={when === 'after' ? 'warning' : 'info'} title={t(restartTexts[when], values)}>
      {t(when === 'after' ? 'restart.text' : `restart.${when}Text`, values)}
    </Callout>
  )
}

/** Whether the old key, or the new one after an undo, no longer works, so that running tools need a restart. */
export const isKeyDeleted = (rotation: RotationView): boolean =>
  ['waiting', 'done', 'undone'].includes(rotation.state) && !isOverlapping(rotation)

/** Joins the names of tools. Adds the scope (project or WSL) unless a tool is configured in the user's home. */
export function useToolNames(): (tools: readonly Pick<RotatedTool, 'toolName' | 'site'>[]) => string {
  const { locale } = useFormats()
  const formatSite = useFormatSite()
  return (tools) =>
    formatList(
      tools.map(({ toolName, site }) => (site.kind === 'user' ? toolName : `${toolName} (${formatSite(site)})`)),
      locale,
    )
}
