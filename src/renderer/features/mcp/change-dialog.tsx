import type { McpChange, McpServerView, McpToolView, McpValueStorage, ToolWarning } from '@shared/contract'
import { hasNoChanges } from '@shared/tool-changes'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
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

/**
 * A change of MCP settings that the user requested. `name`: the tool's name. `server`: name of a server that is not
 * this app's own.
 */
export interface RequestedChange {
  readonly change: McpChange
  readonly name: string
  readonly server?: string
  /** Whether the tool already has the entry, so that the change would replace it. */
  readonly isThere?: boolean
}

interface ChangeDialogProps {
  readonly requestedChange: RequestedChange
  readonly tools: readonly McpToolView[]
  readonly onClose: () => void
}

export function ChangeDialog({ requestedChange, tools, onClose }: ChangeDialogProps) {
  const { t } = useTranslation('mcp')
  const [change, setChange] = useState(requestedChange.change)
  if (change.what === 'anyServer' && change.action === 'copy')
    return (
      <ChangeConfirmation
        requestedChange={{ ...requestedChange, change }}
        isReady={(change.to ?? []).length > 0}
        onClose={onClose}
      >
        <CopyChoice change={change} tools={tools} onChange={setChange} />
      </ChangeConfirmation>
    )
  return (
    <ChangeConfirmation requestedChange={{ ...requestedChange, change }} isReady onClose={onClose}>
      {change.what === 'server' && change.action === 'add' && change.toolId !== 'claude-desktop' ? (
        <Switch
          label={t('http.label')}
          hint={t('http.hint')}
          checked={change.isHttp === true}
          onCheckedChange={(isHttp) => setChange({ ...change, isHttp })}
        />
      ) : null}
      {change.what === 'statusLine' && change.action === 'add' ? (
        <TemplateChoice change={change} onChange={setChange} />
      ) : null}
    </ChangeConfirmation>
  )
}

/** A change of this app's own entries: its MCP server or its status line. */
export type OwnServerChange = Extract<McpChange, { what: 'server' | 'statusLine' }>

function TemplateChoice({
  change,
  onChange,
}: {
  readonly change: OwnServerChange
  readonly onChange: (change: McpChange) => void
}) {
  const { t } = useTranslation('mcp', { keyPrefix: 'template' })
  const { toolId, template = '' } = change
  const { data: line = '' } = useCall('mcp.statusLine', { toolId, template })
  return (
    <div className="flex flex-col gap-3">
      <TextField
        label={t('label')}
        hint={t('hint')}
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

function CopyChoice({
  change,
  tools,
  onChange,
}: {
  readonly change: Extract<McpChange, { what: 'anyServer' }>
  readonly tools: readonly McpToolView[]
  readonly onChange: (change: McpChange) => void
}) {
  const { t } = useTranslation('mcp', { keyPrefix: 'copy' })
  const { to = [], toolId: sourceToolId, name } = change
  const server = tools
    .find(({ toolId }) => toolId === sourceToolId)
    ?.servers.find((candidate) => candidate.name === name)
  const toggle = (toolId: string, isOn: boolean): void =>
    onChange({ ...change, to: isOn ? [...to, toolId] : to.filter((targetId) => targetId !== toolId) })
  return (
    <div className="flex flex-col gap-3">
      <fieldset className="grid grid-cols-3 gap-x-4">
        <legend className="mb-1 font-medium">{t('to')}</legend>
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
      {server && server.values.length > 0 ? (
        <McpValuesField
          server={server}
          way={change.values ?? 'none'}
          onChange={(values) => onChange({ ...change, values })}
        />
      ) : null}
    </div>
  )
}

function McpValuesField({
  server: { kind, values, areValuesKept },
  way,
  onChange,
}: {
  readonly server: McpServerView
  readonly way: McpValueStorage
  readonly onChange: (mode: McpValueStorage) => void
}) {
  const { t } = useTranslation('mcp', { keyPrefix: 'copy' })
  const label = t('values', { names: values.join(', ') })
  const allModes: readonly McpValueStorage[] = ['none', 'keychain', 'plain']
  const possibleModes = allModes.filter((mode) =>
    mode === 'keychain' ? kind === 'program' : mode === 'none' || !areValuesKept,
  )
  return (
    <div className="flex flex-col gap-1.5">
      <p className="font-medium">{label}</p>
      <RadioCards
        label={label}
        value={way}
        onValueChange={onChange}
        columns={possibleModes.length === 3 ? 3 : 2}
        options={possibleModes.map((value) => ({ value, label: t(`ways.${value}`), hint: t(`wayHints.${value}`) }))}
      />
    </div>
  )
}

function useChangeTexts({ change, name, server = '', isThere = false }: RequestedChange) {
  const { t } = useTranslation('mcp')
  const textArguments = { tool: name, server }
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
      const replacesStatusLine = isThere && what === 'statusLine' && action === 'add'
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

function Warnings({ toolId, warnings }: { readonly toolId: string; readonly warnings: readonly ToolWarning[] }) {
  const { data: tools = [] } = useCall('tools.list', {})
  const tool = tools.find(({ id }) => id === toolId.split('.')[0])
  return tool && warnings.length > 0 ? <ToolWarnings warnings={warnings} tool={tool} /> : null
}

function ChangeConfirmation({
  requestedChange,
  isReady,
  onClose,
  children,
}: Omit<ChangeDialogProps, 'tools'> & {
  /** Whether the user has selected enough options to show a preview. */
  readonly isReady: boolean
  readonly children: ReactNode
}) {
  const texts = useChangeTexts(requestedChange)
  const query = useCall('mcp.preview', requestedChange.change, { staleTime: 0, gcTime: 0, enabled: isReady })
  const writeChange = useAction('mcp.carryOut', {
    invalidates: ['mcp', 'register', 'relay'],
    onSuccess: () => closeWithToast(onClose, texts.done),
  })
  const preview = query.isError || !isReady ? undefined : query.data
  const failure = (writeChange.error ?? query.error)?.failure
  const shownFailure = failure?.code === 'input.declined' ? undefined : failure
  const refreshPage = (): void => {
    writeChange.reset()
    void query.refetch()
  }
  const writes = preview?.tools.some((changes) => !hasNoChanges(changes)) === true
  return (
    <Dialog
      size="lg"
      onClose={onClose}
      title={texts.title}
      {...(texts.next ? { description: texts.next } : {})}
      action={{
        label: texts.act,
        busy: writeChange.isPending,
        disabled: !writes || query.isFetching || shownFailure !== undefined,
        onClick: () => preview && writeChange.mutate({ previewId: preview.previewId }),
      }}
    >
      <div className="flex flex-col gap-4">
        {children}
        {shownFailure ? (
          <ExplainedFailure
            failure={shownFailure}
            handlers={{ tryAgain: refreshPage, previewAgain: refreshPage }}
            busy={query.isFetching}
          />
        ) : null}
        {preview?.left.map(({ toolId, failure: reason }) => (
          <Callout key={toolId} tone="warning" title={reason.message} />
        ))}
        {preview?.tools.map(({ toolId, files, warnings }) => (
          <div key={toolId} className="flex flex-col gap-3">
            <Warnings toolId={toolId} warnings={warnings.filter(({ code }) => code !== 'restartNeeded')} />
            <FileChanges files={files} />
          </div>
        ))}
        {preview || shownFailure || !isReady ? null : <ChangesSkeleton />}
      </div>
    </Dialog>
  )
}
