import type { ConnectionView, PlanView } from '@shared/contract'
import { holderId } from '@shared/key-ids'
import type { ShortcutId } from '@shared/shortcuts'
import i18next from 'i18next'
import {
  Activity,
  ArrowRightLeft,
  Bell,
  BookText,
  Cable,
  ChartColumn,
  Check,
  CircleAlert,
  CirclePause,
  CirclePlay,
  CircleQuestionMark,
  CircleStop,
  Columns3,
  Copy,
  Database,
  FlaskConical,
  Footprints,
  Gauge,
  History,
  Info,
  Keyboard,
  KeyRound,
  Languages,
  Layers,
  type LucideIcon,
  MessageSquareText,
  PackageOpen,
  Play,
  Plug,
  Plus,
  RotateCw,
  Scan,
  ScanText,
  ScrollText,
  Send,
  Sparkles,
  SquarePen,
  Stethoscope,
  SunMoon,
  TicketCheck,
  TriangleAlert,
  Wallet,
  Waypoints,
  Wrench,
  ZoomIn,
  ZoomOut,
} from 'lucide-react'
import { useNavigate } from 'react-router'
import { copyText } from '../../../copy-text'
import { explainFailure } from '../../../failures'
import { formatDuration } from '../../../format'
import { showFailureToast } from '../../../i18n/failures'
import { CallError, call, useCall } from '../../../ipc'
import * as paths from '../../../paths'
import { choosePlan, goOnTour, openHelp, useCurrentPlan } from '../../../session'
import { useUpdateSettings, useZoom } from '../../../settings'
import { splitShortcut, useShortcuts } from '../../../shortcuts'
import { toast } from '../../../ui/toast'
import { useSwitchWithToast } from '../../connections'
import { entryKey, holderIcon, knownHolders, rotatableKeys } from '../../connections/account'
import {
  apiKeys,
  dockerPath,
  identityResources,
  memories,
  models,
  repositories,
  robotAccounts,
  runtimes,
} from '../../platform'
import { type Resource, resourceText, toNewPath } from '../../platform/resources'
import { useRelay, useRelayActions } from '../../relay'
import { setUpPath, toolPath } from '../../tools'
import { navigationItems, settingsItem } from '..'

const t = i18next.getFixedT(null, [
  'palette',
  'shell',
  'tools',
  'mcp',
  'common',
  'settings',
  'playground',
  'budgets',
  'relay',
  'registry',
  'runtimes',
])

function useNavigationCommands(): readonly GroupCommand[] {
  const shortcuts = useShortcuts()
  return [...navigationItems, settingsItem].map(({ id, path, icon }) => ({
    id,
    label: t(`shell:places.${id}`),
    icon,
    ...(id in shortcuts && { keys: splitShortcut(shortcuts[id as ShortcutId]) }),
    path,
  }))
}

function useConnectionCommands(): readonly GroupCommand[] {
  const switchConnection = useSwitchWithToast()
  const { data: connections = [] } = useCall('connections.list', {})
  const toSwitchCommand = (connection: ConnectionView): GroupCommand => ({
    id: `switch-${connection.id}`,
    label: t('switchTo', { connection: connection.name }),
    icon: connection.isBuiltIn ? FlaskConical : Cable,
    run: () => switchConnection(connection),
  })
  return [
    toPage('add-connection', Plus, paths.newConnectionPath, t('addConnection')),
    ...connections.filter(({ isActive }) => !isActive).map(toSwitchCommand),
    ...connections.flatMap(({ id, name: connection }): GroupCommand[] => [
      toPage(
        `test-${id}`,
        Activity,
        paths.connectionPath(id, { test: true }),
        t('testConnection', { connection }),
        'test check',
      ),
      toPage(`show-${id}`, Cable, paths.connectionPath(id), t('openConnection', { connection })),
    ]),
  ]
}

function useToolCommands(): readonly GroupCommand[] {
  const { data: tools = [] } = useCall('tools.list', {})
  const { data: profiles = [] } = useCall('profiles.list', {})
  const relayCommands = useRelayCommands()
  const canSetUp = tools.some(({ kind, installed }) => kind === 'written' && installed)
  return [
    ...tools
      .filter(({ kind }) => kind !== 'unsupported')
      .map(({ id, name }) =>
        toPage(`configure-${id}`, Wrench, toolPath(id, 'configure'), t('configure', { tool: name })),
      ),
    ...(canSetUp ? [toPage('set-up-all', Wrench, setUpPath(), t('tools:setUpAll'))] : []),
    ...profiles
      .filter(({ isActive }) => !isActive)
      .map(({ id, name: profile }) =>
        toPage(`profile-${id}`, ArrowRightLeft, paths.switchProfilePath(id), t('switchProfile', { profile })),
      ),
    toPage('history', History, '/history', t('palette:history')),
    toPage('examine', Stethoscope, '/doctor?run=1', t('examine')),
    toPage('relay', Waypoints, paths.relayPath, t('relay.open')),
    toPage('relay-set-up', Waypoints, setUpPath({ route: 'relay' }), t('relay.setUp')),
    toPage('mcp', Plug, '/tools/mcp', t('mcp:title')),
    ...relayCommands,
  ]
}

/** Runs a live check and shows the result in a toast. */
function useCheckWithToast(): (plan: PlanView) => void {
  const navigate = useNavigate()
  return async ({ id, name }) => {
    const action = { label: t('look'), onClick: () => void navigate(`/plans/${id}`) }
    void toast(t('checking', { plan: name }), { tone: 'info' })
    try {
      const check = await call('plans.check', { planId: id })
      if (check.ok) return void toast(t('planAnswers', { plan: name, time: formatDuration(check.durationMs) }))
      const { title } = explainFailure(check.failure, { plan: name })
      void toast(t('planFails', { plan: name, title }), { tone: 'danger', action })
    } catch (error) {
      const title = error instanceof CallError ? explainFailure(error.failure, { plan: name }).title : ''
      void toast(t('planFails', { plan: name, title }), { tone: 'danger', action })
    }
  }
}

function usePlanCommands(): readonly GroupCommand[] {
  const check = useCheckWithToast()
  const { data: plans = [] } = useCall('plans.list', {})
  const currentPlan = useCurrentPlan()
  const createPlanSelector = (plan: PlanView) => (): void => {
    choosePlan(plan.id)
    void toast(t('planUsed', { plan: plan.name }))
  }
  const copy = (text: string) => (): void => copyText(text, { title: t('gatewayCopied'), description: text })
  const listPlanCommands = (plan: PlanView): GroupCommand[] => {
    const { id, name, gatewayUrl } = plan
    return [
      {
        id: `check-${id}`,
        label: t('checkPlan', { plan: name }),
        icon: Activity,
        also: 'test check',
        run: () => check(plan),
      },
      {
        id: `copy-${id}`,
        label: t('copyGateway', { plan: name }),
        icon: Copy,
        also: gatewayUrl,
        run: copy(gatewayUrl),
      },
      toPage(`open-${id}`, Layers, `/plans/${id}`, t('openPlan', { plan: name })),
      ...(id === currentPlan?.id
        ? []
        : [{ id: `use-${id}`, label: t('usePlan', { plan: name }), icon: Check, run: createPlanSelector(plan) }]),
    ]
  }
  return [toPage('add-plan', Plus, '/plans/new', t('addPlan')), ...plans.flatMap(listPlanCommands)]
}

function useWindowCommands(): readonly GroupCommand[] {
  const update = useUpdateSettings()
  const changeZoom = useZoom()
  const { help } = useShortcuts()
  const languages = { system: t('settings:appearance.system'), en: 'English', vi: 'Tiếng Việt' } as const
  return [
    toPage('about', Info, paths.aboutPath, t('palette:about')),
    ...(['system', 'light', 'dark'] as const).map(
      (theme): GroupCommand => ({
        id: `theme-${theme}`,
        label: t('theme', { name: t(`settings:appearance.${theme}`) }),
        icon: SunMoon,
        run: () => void update({ theme }),
      }),
    ),
    ...(['system', 'en', 'vi'] as const).map(
      (language): GroupCommand => ({
        id: `language-${language}`,
        label: t('language', { name: languages[language] }),
        also: 'language ngôn ngữ',
        icon: Languages,
        run: () => void update({ language }),
      }),
    ),
    ...(['in', 'out', 'reset'] as const).map(
      (step): GroupCommand => ({
        id: `zoom-${step}`,
        label: t(`settings:appearance.zoomSteps.${step}`),
        also: 'zoom size phóng to thu nhỏ cỡ',
        icon: step === 'in' ? ZoomIn : step === 'out' ? ZoomOut : Scan,
        keys: ['Mod', { in: '+', out: '-', reset: '0' }[step]],
        run: () => changeZoom(step),
      }),
    ),
    { id: 'help', label: t('help'), icon: CircleQuestionMark, keys: splitShortcut(help), run: () => openHelp('page') },
    toPage('shortcuts', Keyboard, paths.shortcutsPath, t('palette:shortcuts')),
    toPage('errors', CircleAlert, paths.errorsPath(), t('errors')),
    { id: 'tour', label: t('tour'), icon: Footprints, run: () => goOnTour(1) },
    toPage('news', Sparkles, paths.newsPath, t('news')),
  ]
}

function useKeyCommands(): readonly GroupCommand[] {
  const { data: plans = [] } = useCall('plans.list', {})
  const { data: entries = [] } = useCall('register.known', {})
  return [
    toPage('rotate', RotateCw, paths.rotatePath, t('rotate')),
    toPage('hand-out', Send, paths.handoutsPath, t('handOut')),
    toPage('hand-out-many', Send, paths.bulkHandoutPath, t('handOutMany')),
    toPage('receive', PackageOpen, paths.openKeyFilePath, t('receive')),
    toPage('enter-code', TicketCheck, paths.enterCodePath, t('enterCode')),
    toPage('rotations', RotateCw, paths.rotationsPath, t('rotations')),
    toPage('audit', ScrollText, paths.auditPath, t('audit')),
    ...rotatableKeys(plans).map((rotatableKey) =>
      toPage(
        `rotate-${rotatableKey.planId}-${rotatableKey.keyId}`,
        RotateCw,
        paths.rotateKeyPath(rotatableKey),
        t('rotateKey', { key: rotatableKey.key.name, plan: rotatableKey.plan.name }),
        'rotate key',
      ),
    ),
    ...knownHolders(entries).map((holder) =>
      toPage(
        `holder-${holderId(holder)}`,
        holderIcon(holder),
        paths.holderPath(holderId(holder)),
        t('openHolder', { holder: holder.name }),
      ),
    ),
    ...entries.map((entry) =>
      toPage(
        `key-${entryKey(entry)}`,
        KeyRound,
        paths.findKeyPath(entry.keyName),
        t('openKey', { key: entry.keyName, plan: entry.planLabel ?? entry.planName }),
      ),
    ),
  ]
}

/** All commands of the palette, in display order. */
export function useCommands(): readonly Command[] {
  const commands: Record<Command['group'], readonly GroupCommand[]> = {
    go: useNavigationCommands(),
    connections: useConnectionCommands(),
    tools: useToolCommands(),
    plans: usePlanCommands(),
    usage: useUsageCommands(),
    keys: useKeyCommands(),
    playground: usePlaygroundCommands(),
    platform: listPlatformCommands(),
    window: useWindowCommands(),
  }
  return commandGroups.flatMap((group) => commands[group].map((command) => ({ ...command, group })))
}

const recentChats = 12

function usePlaygroundCommands(): readonly GroupCommand[] {
  const { data: chats = [] } = useCall('playground.conversations', { limit: recentChats })
  return [
    toPage('chat-new', SquarePen, paths.chatPath(), t('playground:palette.newChat')),
    toPage('chat-compare', Columns3, paths.comparePath, t('playground:palette.compare')),
    toPage('chat-prompts', BookText, paths.promptsPath, t('playground:palette.prompts')),
    toPage('chat-completion', ScanText, paths.completionPath, t('playground:palette.completion')),
    toPage('chat-embeddings', Waypoints, paths.embeddingsPath, t('playground:palette.embeddings')),
    ...chats.map(({ id, title }) =>
      toPage(`chat-${id}`, MessageSquareText, paths.chatPath(id), t('playground:palette.openChat', { title })),
    ),
  ]
}

function useUsageCommands(): readonly GroupCommand[] {
  const { data: plans = [] } = useCall('plans.list', {})
  return [
    toPage('usage-left', Gauge, paths.quotaPath, t('usage.left')),
    toPage(
      'usage-errors',
      TriangleAlert,
      paths.requestsPath({ scope: 'machine', onlyErrors: true }),
      t('usage.errors'),
    ),
    ...plans.map(({ id, name: plan }) =>
      toPage(
        `usage-${id}`,
        ChartColumn,
        paths.figuresPath({ scope: 'machine', planId: id }),
        t('usage.ofPlan', { plan }),
      ),
    ),
    toPage('alerts', Bell, paths.alertsPath, t('alerts')),
    toPage('budgets', Wallet, paths.budgetsPath, t('budgets:title')),
    toPage('sources', Database, paths.sourcesPath, t('sources')),
  ]
}

/** Starts, stops and pauses the relay, with the result in a toast. */
function useRelayCommands(): readonly GroupCommand[] {
  const navigate = useNavigate()
  const { data: relay } = useRelay()
  const { starting, stopping, pausing } = useRelayActions()
  const toastOptions = {
    onSuccess: ({ state }: NonNullable<typeof relay>) => void toast(t(`palette:relay.now.${state}`)),
    onError: showFailureToast(),
  }
  const isUsed = relay?.tools.some(({ isPointedHere }) => isPointedHere)
  if (!relay || relay.state === 'starting') return []
  if (relay.state === 'off' || relay.state === 'failed') {
    return [{ id: 'relay-start', label: t('relay:start'), icon: Play, run: () => starting.mutate({}, toastOptions) }]
  }
  const isPausable = relay.state === 'on'
  return [
    {
      id: 'relay-pause',
      label: t(isPausable ? 'palette:relay.pause' : 'palette:relay.resume'),
      icon: isPausable ? CirclePause : CirclePlay,
      run: () => pausing.mutate({ paused: isPausable }, toastOptions),
    },
    {
      id: 'relay-stop',
      label: t('palette:relay.stop'),
      icon: CircleStop,
      // Open the relay page, which asks for confirmation if tools use the relay.
      run: () => (isUsed ? void navigate(paths.relayPath) : stopping.mutate({}, toastOptions)),
    },
  ]
}

const listedResources: readonly Resource[] = [
  memories,
  runtimes,
  ...identityResources,
  repositories,
  robotAccounts,
  models,
  apiKeys,
]

function listPlatformCommands(): readonly GroupCommand[] {
  return [
    ...listedResources.map(({ texts, icon, at, list }) =>
      toPage(`${at}-list`, icon, at, resourceText(`${texts}title`), list.operation),
    ),
    toPage(
      'container-check',
      runtimes.icon,
      paths.checkPath,
      t('runtimes:check.title'),
      'container contract health 8080',
    ),
    toPage('docker', repositories.icon, dockerPath, t('registry:docker.command'), 'docker login push pull'),
    ...listedResources.flatMap(({ at, create }) =>
      create ? [toPage(`create-${at}`, Plus, toNewPath(at), resourceText(create.title), create.operation)] : [],
    ),
  ]
}

export const commandGroups = [
  'go',
  'connections',
  'tools',
  'plans',
  'usage',
  'keys',
  'playground',
  'platform',
  'window',
] as const

/** A command that opens a page or runs an action. */
type GroupCommand = ({ readonly path: string } | { readonly run: () => void }) & {
  readonly id: string
  readonly label: string
  readonly icon: LucideIcon
  readonly keys?: readonly string[]
  /** Additional search keywords. */
  readonly also?: string | undefined
}

/** A command that opens a page. */
const toPage = (id: string, icon: LucideIcon, path: string, label: string, also?: string): GroupCommand => ({
  id,
  icon,
  path,
  label,
  also,
})

export type Command = GroupCommand & { readonly group: (typeof commandGroups)[number] }
