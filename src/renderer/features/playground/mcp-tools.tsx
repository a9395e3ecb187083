import type { ApiStandard, McpServerRef, McpToolOffer, PlaygroundMcpTool, PlaygroundSetup } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { parseJson } from '@shared/json'
import i18next from 'i18next'
import { Play, Plug, Square } from 'lucide-react'
import { useState } from 'react'
import { ExplainedFailure } from '../../failures'
import { useAction, useCall, useCancelableCall } from '../../ipc'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Checkbox } from '../../ui/checkbox'
import { Dialog } from '../../ui/dialog'
import { FieldGroup } from '../../ui/field'
import { EmptyState } from '../../ui/page'
import { SelectField } from '../../ui/select'
import { Hint } from '../../ui/text'
import { toggleKey } from '../../ui/virtual-table'
import { withParameter } from './parameters-fields'

const t = i18next.getFixedT(null, 'playground')

function McpFailure({ failure }: { readonly failure: Failure | undefined }) {
  return failure && failure.code !== 'input.declined' ? <ExplainedFailure failure={failure} /> : null
}

function ToolChoice(props: {
  readonly offers: readonly McpToolOffer[]
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}) {
  const { offers, chosen, onChange } = props
  if (offers.length === 0) return <Hint>{t('mcp.noTools')}</Hint>
  const isAllChosen = chosen.size === offers.length
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2 px-2.25">
        <Checkbox
          label={t('mcp.all')}
          checked={isAllChosen || (chosen.size > 0 && 'indeterminate')}
          onCheckedChange={(isChecked) => onChange(new Set(isChecked ? offers.map(({ name }) => name) : []))}
        />
        <span className="text-muted">{t('mcp.found', { count: offers.length })}</span>
      </div>
      <ul className="max-h-70 overflow-auto rounded-lg border" aria-label={t('mcp.tools')}>
        {offers.map(({ name, description }) => (
          <li key={name} className="flex items-start gap-2 border-t px-2 py-1.5 first:border-t-0">
            <Checkbox
              label={name}
              checked={chosen.has(name)}
              onCheckedChange={() => onChange(toggleKey(chosen, name))}
            />
            <div className="min-w-0 pt-0.5">
              <p className="wrap-anywhere font-mono text-sm">{name}</p>
              <p className="wrap-anywhere line-clamp-2 text-muted text-sm" title={description}>
                {description}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

interface McpToolsDialogProps {
  readonly setup: PlaygroundSetup
  readonly standard: ApiStandard
  readonly onChange: (setup: PlaygroundSetup) => void
  readonly onClose: () => void
}

function McpToolsDialog({ setup, standard, onChange, onClose }: McpToolsDialogProps) {
  const { data: tools = [], isLoading } = useCall('mcp.tools', {})
  const servers = tools.flatMap(({ toolId, name: toolName, servers: toolServers }) =>
    toolServers
      .filter(({ isOurs, isOn }) => isOn && !isOurs)
      .map(({ name, runs }) => ({ server: { toolId, name }, hint: [toolName, runs].filter(Boolean).join(' · ') })),
  )
  const [server, setServer] = useState<McpServerRef>()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { createCallId, cancel } = useCancelableCall()
  const listTools = useAction('playground.mcpTools', {
    onSuccess: (offers) => setChosen(new Set(offers.map(({ name }) => name))),
  })
  const offers = listTools.data ?? []
  const nextSetup =
    server && withMcpTools(setup, { standard, server, offers: offers.filter(({ name }) => chosen.has(name)) })
  const isTooLong = (nextSetup?.parameters.tools?.length ?? 0) > maxToolsLength
  const close = (): void => {
    cancel()
    onClose()
  }
  return (
    <Dialog
      onClose={close}
      title={t('mcp.title')}
      description={t('mcp.text')}
      footer={[
        {
          label: t('mcp.add', { count: chosen.size }),
          variant: 'primary',
          disabled: nextSetup === undefined || chosen.size === 0 || isTooLong || listTools.isPending,
          onClick: () => {
            if (nextSetup) onChange(nextSetup)
            onClose()
          },
        },
      ]}
    >
      {servers.length === 0 && !isLoading ? (
        <EmptyState icon={Plug} title={t('mcp.none')} next={{ to: '/tools/mcp', label: t('mcp.toServers') }}>
          {t('mcp.noneText')}
        </EmptyState>
      ) : (
        <FieldGroup>
          <SelectField
            label={t('mcp.server')}
            value={server && serverKey(server)}
            placeholder={t('mcp.choose')}
            onValueChange={(key) => {
              setServer(servers.find((candidate) => serverKey(candidate.server) === key)?.server)
              listTools.reset()
              setChosen(new Set())
            }}
            options={servers.map(({ server, hint }) => ({ value: serverKey(server), label: server.name, hint }))}
          />
          <div className="flex gap-2">
            <Button
              icon={Plug}
              busy={listTools.isPending}
              disabled={server === undefined}
              onClick={() => server && listTools.mutate({ callId: createCallId(), server })}
            >
              {t('mcp.connect')}
            </Button>
            {listTools.isPending ? <Button onClick={cancel}>{t('mcp.cancel')}</Button> : null}
          </div>
          <McpFailure failure={listTools.error?.failure} />
          {listTools.data ? <ToolChoice offers={offers} chosen={chosen} onChange={setChosen} /> : null}
          {isTooLong ? <Hint role="alert">{t('mcp.tooLong')}</Hint> : null}
        </FieldGroup>
      )}
    </Dialog>
  )
}

/** Button that adds tools of MCP servers to the settings of a chat. */
export function AddMcpTools(props: Omit<McpToolsDialogProps, 'onClose'>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div>
        <Button size="sm" icon={Plug} onClick={() => setOpen(true)}>
          {t('mcp.open')}
        </Button>
      </div>
      {isOpen ? <McpToolsDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

/** Button that calls the MCP tool of a tool call. The app asks before it runs. */
export function RunMcpTool(props: {
  readonly mcpTool: PlaygroundMcpTool
  readonly input: string
  readonly onResult: (text: string) => void
}) {
  const {
    mcpTool: { server, tool },
    input,
    onResult,
  } = props
  const { createCallId, cancel } = useCancelableCall()
  const callTool = useAction('playground.callMcpTool', { onSuccess: ({ text }) => onResult(text) })
  return (
    <>
      <div className="flex items-center gap-2">
        <Button
          size="sm"
          icon={Play}
          busy={callTool.isPending}
          onClick={() => callTool.mutate({ callId: createCallId(), server, tool, input })}
        >
          {t('mcp.run', { server: server.name })}
        </Button>
        {callTool.isPending ? (
          <Button size="sm" icon={Square} onClick={cancel}>
            {t('mcp.cancel')}
          </Button>
        ) : null}
        {callTool.data?.isError ? <Badge tone="danger">{t('mcp.toolError')}</Badge> : null}
      </div>
      <McpFailure failure={callTool.error?.failure} />
    </>
  )
}

const serverKey = ({ toolId, name }: McpServerRef): string => `${toolId} ${name}`

/** These limits must match the contract. */
const maxToolsLength = 200_000
const maxNameLength = 64
const maxMcpTools = 128

type Definition = Readonly<Record<string, unknown>>

function parseDefinitions(text = ''): readonly Definition[] {
  const value = parseJson(text)
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
}

const getName = ({ name, function: inner }: Definition): unknown =>
  name ?? (typeof inner === 'object' && inner !== null && 'name' in inner ? inner.name : undefined)

/** Returns a name that APIs accept. Adds the server's name, and then a number, if the name is taken. */
function createToolName(tool: string, server: string, takenNames: ReadonlySet<unknown>): string {
  const clean = (text: string): string => text.replaceAll(/[^\w-]+/g, '_')
  const shortName = clean(tool).slice(0, maxNameLength)
  if (!takenNames.has(shortName)) return shortName
  const longName = `${clean(server)}_${clean(tool)}`.slice(0, maxNameLength)
  if (!takenNames.has(longName)) return longName
  const stem = longName.slice(0, maxNameLength - 4)
  let number = 2
  while (takenNames.has(stem + number)) number += 1
  return stem + number
}

interface OfferedTools {
  readonly standard: ApiStandard
  readonly server: McpServerRef
  readonly offers: readonly McpToolOffer[]
}

/** Adds tools of a server to the definitions in the settings. Replaces definitions of the same tools. */
function withMcpTools(setup: PlaygroundSetup, { standard, server, offers }: OfferedTools): PlaygroundSetup {
  const isReplaced = ({ server: otherServer, tool }: PlaygroundMcpTool): boolean =>
    serverKey(otherServer) === serverKey(server) && offers.some(({ name }) => name === tool)
  const { mcpTools = [], parameters } = setup
  const replacedNames = new Set<unknown>(mcpTools.filter(isReplaced).map(({ name }) => name))
  const definitions = parseDefinitions(parameters.tools).filter((definition) => !replacedNames.has(getName(definition)))
  const takenNames = new Set(definitions.map(getName))
  const added = offers.map(({ name: tool, description, schema }) => {
    const name = createToolName(tool, server.name, takenNames)
    takenNames.add(name)
    const inputSchema: unknown = JSON.parse(schema)
    const definition =
      standard === 'messages'
        ? { name, description, input_schema: inputSchema }
        : { type: 'function', function: { name, description, parameters: inputSchema } }
    return { definition, mcpTool: { name, server, tool } }
  })
  const otherMcpTools = mcpTools.filter((mcpTool) => !isReplaced(mcpTool) && takenNames.has(mcpTool.name))
  const text = JSON.stringify([...definitions, ...added.map(({ definition }) => definition)], undefined, 2)
  return {
    ...setup,
    parameters: withParameter(parameters, 'tools', text),
    mcpTools: [...otherMcpTools, ...added.map(({ mcpTool }) => mcpTool)].slice(-maxMcpTools),
  }
}
