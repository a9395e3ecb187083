import type { McpChange, McpToolView } from '@shared/contract'
import { hasNoChanges } from '@shared/tool-changes'
import i18next from 'i18next'
import { useState } from 'react'
import { ExplainedFailure } from '../../failures'
import { useAction, useCall } from '../../ipc'
import { Callout } from '../../ui/callout'
import { Checkbox } from '../../ui/checkbox'
import { Code } from '../../ui/code'
import { Dialog } from '../../ui/dialog'
import { TextField } from '../../ui/field'
import { RadioCards } from '../../ui/radio-cards'
import { Switch } from '../../ui/switch'
import { closeWithToast } from '../../ui/toast'
import { ChangesSkeleton, FileChanges, ToolWarnings } from '../tools'

const t = i18next.getFixedT(null, 'mcp')

/** A change of this app's own entries: its MCP server or its status line. */
type OwnServerChange = Extract<McpChange, { what: 'server' | 'statusLine' }>

function TemplateChoice(props: { readonly change: OwnServerChange; readonly onChange: (change: McpChange) => void }) {
  const { change, onChange } = props
  const { toolId, template = '' } = change
  const { data: line = '' } = useCall('mcp.statusLine', { toolId, template })
  return (
    <div className="flex flex-col gap-3">
      <TextField
        label={t('template.label')}
        hint={t('template.hint')}
        optional
        mono
        maxLength={200}
        value={template}
        placeholder="{model} · {plan} {tokens} · {requests} · {forecast} · {route}"
        onChange={(text) => onChange({ ...change, template: text })}
      />
      <Code>{line}</Code>
    </div>
  )
}

function CopyChoice(props: {
  readonly change: Extract<McpChange, { what: 'anyServer' }>
  readonly onChange: (change: McpChange) => void
}) {
  const { change, onChange } = props
  const { data: tools = [] } = useCall('mcp.tools', {})
  const { to = [], toolId: sourceToolId, name } = change
  const server = tools
    .find(({ toolId }) => toolId === sourceToolId)
    ?.servers.find((candidate) => candidate.name === name)
  const toggle = (toolId: string, isOn: boolean): void =>
    onChange({ ...change, to: isOn ? [...to, toolId] : to.filter((targetId) => targetId !== toolId) })
  const { kind, values = [], areValuesKept } = server ?? {}
  const valuesLabel = t('copy.values', { names: values.join(', ') })
  const possibleModes = (['none', 'keychain', 'plain'] as const).filter((mode) =>
    mode === 'keychain' ? kind === 'program' : mode === 'none' || !areValuesKept,
  )
  return (
    <div className="flex flex-col gap-3">
      <fieldset className="grid grid-cols-3 gap-x-4">
        <legend className="mb-1 font-medium">{t('copy.to')}</legend>
        {tools
          .filter(({ toolId, server }) => toolId !== sourceToolId && server !== 'unreadable')
          .map(({ toolId, name: tool, exists }) => (
            <div key={toolId} className="flex min-w-0 items-center gap-1.5">
              <Checkbox
                id={`copy-to-${toolId}`}
                label={tool}
                checked={to.includes(toolId)}
                onCheckedChange={(isOn) => toggle(toolId, isOn)}
              />
              <label htmlFor={`copy-to-${toolId}`} className={exists ? 'truncate' : 'truncate text-muted'}>
                {tool}
              </label>
            </div>
          ))}
      </fieldset>
      {values.length > 0 ? (
        <div className="flex flex-col gap-1.5">
          <p className="font-medium">{valuesLabel}</p>
          <RadioCards
            label={valuesLabel}
            value={change.values ?? 'none'}
            onValueChange={(mode) => onChange({ ...change, values: mode })}
            columns={possibleModes.length === 3 ? 3 : 2}
            options={possibleModes.map((value) => ({
              value,
              label: t(`copy.ways.${value}`),
              hint: t(`copy.wayHints.${value}`),
            }))}
          />
        </div>
      ) : null}
    </div>
  )
}

export const hasStatusLine = ({ statusLine }: Pick<McpToolView, 'statusLine'>): boolean =>
  statusLine === 'added' || statusLine === 'modified'

function useChangeTexts(change: McpChange) {
  const { data: tools = [] } = useCall('mcp.tools', {})
  const tool = change.what === 'rewind' ? undefined : tools.find(({ toolId }) => toolId === change.toolId)
  // Keep the first value, because the tools are loaded again before the write has ended.
  const [isStatusLineSet] = useState(() => tool !== undefined && hasStatusLine(tool))
  const server = change.what === 'anyServer' ? change.name : ''
  const textArguments = { tool: tool?.name ?? '', server }
  switch (change.what) {
    case 'rewind':
      return { title: t('change.rewind'), act: t('act.rewind'), done: t('done.rewind'), next: undefined }
    case 'anyServer': {
      const { action } = change
      const title = t(`change.anyServer.${action}`, textArguments)
      return { title, act: t(`act.${action}`), done: t(`done.anyServer.${action}`, textArguments), next: undefined }
    }
    default: {
      const { what, action, toolId } = change
      const replacesStatusLine = isStatusLineSet && what === 'statusLine' && action === 'add'
      const updatesContinuously = what === 'statusLine' && toolId === 'claude-code'
      return {
        title: t(replacesStatusLine ? 'statusLine.changeOf' : `change.${what}.${action}`, textArguments),
        act: t(replacesStatusLine ? 'act.change' : `act.${action}`),
        done: t(replacesStatusLine ? 'done.statusLine.change' : `done.${what}.${action}`, textArguments),
        next: t(updatesContinuously ? 'change.next' : 'change.restart', textArguments),
      }
    }
  }
}

export function ChangeDialog(props: { readonly requestedChange: McpChange; readonly onClose: () => void }) {
  const { requestedChange, onClose } = props
  const [change, setChange] = useState(requestedChange)
  const texts = useChangeTexts(change)
  // A copy has no preview before the user has selected a tool.
  const isReady = change.what !== 'anyServer' || change.action !== 'copy' || (change.to ?? []).length > 0
  const query = useCall('mcp.preview', change, { staleTime: 0, gcTime: 0, enabled: isReady })
  const { data: configurableTools = [] } = useCall('tools.list', {})
  const writeChange = useAction('mcp.carryOut', {
    invalidates: ['mcp', 'register', 'relay'],
    onSuccess: () => closeWithToast(onClose, texts.done),
  })
  const preview = query.isError || !isReady ? undefined : query.data
  const failure = (writeChange.error ?? query.error)?.failure
  const shownFailure = failure?.code === 'input.declined' ? undefined : failure
  const refreshPage = async (): Promise<void> => {
    await query.refetch()
    writeChange.reset()
  }
  const writes = preview?.tools.some((changes) => !hasNoChanges(changes)) === true
  return (
    <Dialog
      size="lg"
      onClose={onClose}
      title={texts.title}
      description={texts.next}
      busy={writeChange.isPending}
      action={{
        label: texts.act,
        disabled: !writes || shownFailure !== undefined,
        onClick: () => preview && writeChange.mutate({ previewId: preview.previewId }),
      }}
    >
      <div className="flex flex-col gap-4">
        <ChangeOptions change={change} onChange={setChange} />
        <ExplainedFailure
          failure={shownFailure}
          handlers={{ tryAgain: () => void refreshPage(), previewAgain: () => void refreshPage() }}
          busy={query.isFetching}
        />
        {preview?.left.map(({ toolId, failure: reason }) => (
          <Callout key={toolId} tone="warning" title={reason.message} />
        ))}
        {preview?.tools.map(({ toolId, files, warnings }) => {
          const tool = configurableTools.find(({ id }) => id === toolId.split('.')[0])
          const shownWarnings = warnings.filter(({ code }) => code !== 'restartNeeded')
          return (
            <div key={toolId} className="flex flex-col gap-3">
              {tool ? <ToolWarnings warnings={shownWarnings} toolId={tool.id} /> : null}
              <FileChanges files={files} />
            </div>
          )
        })}
        {preview || shownFailure || !isReady ? null : <ChangesSkeleton />}
      </div>
    </Dialog>
  )
}

/** Options of a change that the user can still choose. */
function ChangeOptions(props: { readonly change: McpChange; readonly onChange: (change: McpChange) => void }) {
  const { change, onChange } = props
  if (change.what === 'anyServer' && change.action === 'copy') return <CopyChoice change={change} onChange={onChange} />
  if (change.what === 'statusLine' && change.action === 'add')
    return <TemplateChoice change={change} onChange={onChange} />
  if (change.what !== 'server' || change.action !== 'add' || change.toolId === 'claude-desktop') return null
  return (
    <Switch
      label={t('http.label')}
      hint={t('http.hint')}
      checked={change.isHttp === true}
      onCheckedChange={(isHttp) => onChange({ ...change, isHttp })}
    />
  )
}
