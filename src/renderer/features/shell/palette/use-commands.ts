import type { ConnectionView, PlanView } from '@shared/contract'
import { holderId } from '@shared/contract/register'
import type { ShortcutId } from '@shared/shortcuts'
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
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCopyText } from '../../../copy-text'
import { useFormats } from '../../../format'
import { useFailureTexts, useFailureToast } from '../../../i18n/failures'
import { CallError, call, useCall } from '../../../ipc'
import {
  aboutPath,
  alertsPath,
  auditPath,
  budgetsPath,
  bulkHandoutPath,
  chatPath,
  comparePath,
  completionPath,
  connectionPath,
  embeddingsPath,
  enterCodePath,
  errorsPath,
  figuresPath,
  findKeyPath,
  handoutsPath,
  holderPath,
  newConnectionPath,
  newsPath,
  openKeyFilePath,
  promptsPath,
  quotaPath,
  relayPath,
  requestsPath,
  rotateKeyPath,
  rotatePath,
  rotationsPath,
  shortcutsPath,
  sourcesPath,
  switchProfilePath,
} from '../../../paths'
import { useCurrentPlan, useSession } from '../../../session'
import { useUpdateSettings, useZoom } from '../../../settings'
import { splitShortcut, useShortcuts } from '../../../shortcuts'
import { toast } from '../../../ui/toast'
import { useSwitchWithToast } from '../../connections'
import { entryKey, holderIcon, knownHolders, rotatableKeys } from '../../connections/account'
import { useRelay, useRelayActions } from '../../relay'
import { setUpPath, toolPath } from '../../tools'
import { navigationItems, settingsItem } from '..'
import { type Command, commandGroups, type GroupCommand, usePlatformCommands } from './use-platform-commands'

function useNavigationCommands(): readonly GroupCommand[] {
  const { t } = useTranslation('shell')
  const shortcuts = useShortcuts()
  return [...navigationItems, settingsItem].map(({ id, path, icon }) => ({
    id,
    label: t(`places.${id}`),
    icon,
    ...(id in shortcuts && { keys: splitShortcut(shortcuts[id as ShortcutId]) }),
    path,
  }))
}

function useConnectionCommands(): readonly GroupCommand[] {
  const { t } = useTranslation('palette')
  const switchConnection = useSwitchWithToast()
  const { data: connections = [] } = useCall('connections.list', {})
  const toSwitchCommand = (connection: ConnectionView): GroupCommand => ({
    id: `switch-${connection.id}`,
    label: t('switchTo', { connection: connection.name }),
    icon: connection.isBuiltIn ? FlaskConical : Cable,
    run: () => switchConnection(connection),
  })
  return [
    { id: 'add-connection', label: t('addConnection'), icon: Plus, path: newConnectionPath },
    ...connections.filter(({ isActive }) => !isActive).map(toSwitchCommand),
    ...connections.flatMap(({ id, name: connection }): GroupCommand[] => [
      {
        id: `test-${id}`,
        label: t('testConnection', { connection }),
        also: 'test check',
        icon: Activity,
        path: connectionPath(id, { test: true }),
      },
      {
        id: `show-${id}`,
        label: t('openConnection', { connection }),
        icon: Cable,
        path: connectionPath(id),
      },
    ]),
  ]
}

function useToolCommands(): readonly GroupCommand[] {
  const { t } = useTranslation(['palette', 'tools'])
  const { data: tools = [] } = useCall('tools.list', {})
  const canSetUp = tools.some(({ kind, installed }) => kind === 'written' && installed)
  return [
    ...tools
      .filter(({ kind }) => kind !== 'unsupported')
      .map(
        ({ id, name }): GroupCommand => ({
          id: `configure-${id}`,
          label: t('palette:configure', { tool: name }),
          icon: Wrench,
          path: toolPath(id, 'configure'),
        }),
      ),
    ...(canSetUp ? [{ id: 'set-up-all', label: t('tools:setUpAll'), icon: Wrench, path: setUpPath() }] : []),
  ]
}

function useProfileCommands(): readonly GroupCommand[] {
  const { t } = useTranslation('palette')
  const { data: profiles = [] } = useCall('profiles.list', {})
  return [
    ...profiles
      .filter(({ isActive }) => !isActive)
      .map(
        ({ id, name: profile }): GroupCommand => ({
          id: `profile-${id}`,
          label: t('switchProfile', { profile }),
          icon: ArrowRightLeft,
          path: switchProfilePath(id),
        }),
      ),
    { id: 'history', label: t('history'), icon: History, path: '/history' },
    { id: 'examine', label: t('examine'), icon: Stethoscope, path: '/doctor?run=1' },
  ]
}

/** Runs a live check and shows the result in a toast. */
function useCheckWithToast(): (plan: PlanView) => void {
  const { t } = useTranslation('palette')
  const { duration } = useFormats()
  const getFailureTexts = useFailureTexts()
  const navigate = useNavigate()
  return async ({ id, name }) => {
    const action = { label: t('look'), onClick: () => void navigate(`/plans/${id}`) }
    void toast(t('checking', { plan: name }), { tone: 'info' })
    try {
      const check = await call('plans.check', { planId: id })
      if (check.ok) return void toast(t('planAnswers', { plan: name, time: duration(check.durationMs) }))
      const { title } = getFailureTexts(check.failure, { plan: name })
      void toast(t('planFails', { plan: name, title }), { tone: 'danger', action })
    } catch (error) {
      const title = error instanceof CallError ? getFailureTexts(error.failure, { plan: name }).title : ''
      void toast(t('planFails', { plan: name, title }), { tone: 'danger', action })
    }
  }
}

function usePlanCommands(): readonly GroupCommand[] {
  const { t } = useTranslation(['palette', 'common'])
  const check = useCheckWithToast()
  const { data: plans = [] } = useCall('plans.list', {})
  const currentPlan = useCurrentPlan()
  const choosePlan = useSession((session) => session.choosePlan)
  const createPlanSelector = (plan: PlanView) => (): void => {
    choosePlan(plan.id)
    void toast(t('planUsed', { plan: plan.name }))
  }
  const copyText = useCopyText()
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
      {
        id: `open-${id}`,
        label: t('openPlan', { plan: name }),
        icon: Layers,
        path: `/plans/${id}`,
      },
      ...(id === currentPlan?.id
        ? []
        : [{ id: `use-${id}`, label: t('usePlan', { plan: name }), icon: Check, run: createPlanSelector(plan) }]),
    ]
  }
  return [{ id: 'add-plan', label: t('addPlan'), icon: Plus, path: '/plans/new' }, ...plans.flatMap(listPlanCommands)]
}

function useWindowCommands(): readonly GroupCommand[] {
  const { t } = useTranslation(['palette', 'settings'])
  const update = useUpdateSettings()
  const changeZoom = useZoom()
  const { openHelp, goOnTour: startTour } = useSession()
  const { help } = useShortcuts()
  const languages = { system: t('settings:appearance.system'), en: 'English', vi: 'Tiếng Việt' } as const
  return [
    { id: 'about', label: t('about'), icon: Info, path: aboutPath },
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
    { id: 'shortcuts', label: t('shortcuts'), icon: Keyboard, path: shortcutsPath },
    { id: 'errors', label: t('errors'), icon: CircleAlert, path: errorsPath() },
    { id: 'tour', label: t('tour'), icon: Footprints, run: () => startTour(1) },
    { id: 'news', label: t('news'), icon: Sparkles, path: newsPath },
  ]
}

function useKeyCommands(): readonly GroupCommand[] {
  const { t } = useTranslation('palette')
  const { data: plans = [] } = useCall('plans.list', {})
  const { data: entries = [] } = useCall('register.known', {})
  return [
    { id: 'rotate', label: t('rotate'), icon: RotateCw, path: rotatePath },
    { id: 'hand-out', label: t('handOut'), icon: Send, path: handoutsPath },
    { id: 'hand-out-many', label: t('handOutMany'), icon: Send, path: bulkHandoutPath },
    { id: 'receive', label: t('receive'), icon: PackageOpen, path: openKeyFilePath },
    { id: 'enter-code', label: t('enterCode'), icon: TicketCheck, path: enterCodePath },
    { id: 'rotations', label: t('rotations'), icon: RotateCw, path: rotationsPath },
    { id: 'audit', label: t('audit'), icon: ScrollText, path: auditPath },
    ...rotatableKeys(plans).map(
      (rotatableKey): GroupCommand => ({
        id: `rotate-${rotatableKey.planId}-${rotatableKey.keyId}`,
        label: t('rotateKey', { key: rotatableKey.key.name, plan: rotatableKey.plan.name }),
        also: 'rotate key',
        icon: RotateCw,
        path: rotateKeyPath(rotatableKey),
      }),
    ),
    ...knownHolders(entries).map(
      (holder): GroupCommand => ({
        id: `holder-${holderId(holder)}`,
        label: t('openHolder', { holder: holder.name }),
        icon: holderIcon(holder),
        path: holderPath(holderId(holder)),
      }),
    ),
    ...entries.map(
      (entry): GroupCommand => ({
        id: `key-${entryKey(entry)}`,
        label: t('openKey', { key: entry.keyName, plan: entry.planLabel ?? entry.planName }),
        icon: KeyRound,
        path: findKeyPath(entry.keyName),
      }),
    ),
  ]
}

/** All commands of the palette, in display order. */
export function useCommands(): readonly Command[] {
  const commands: Record<Command['group'], readonly GroupCommand[]> = {
    go: useNavigationCommands(),
    connections: useConnectionCommands(),
    tools: [...useToolCommands(), ...useProfileCommands(), ...useRelayCommands()],
    plans: usePlanCommands(),
    usage: useUsageCommands(),
    keys: useKeyCommands(),
    playground: usePlaygroundCommands(),
    platform: usePlatformCommands(),
    window: useWindowCommands(),
  }
  return commandGroups.flatMap((group) => commands[group].map((command) => ({ ...command, group })))
}

const recentChats = 12

function usePlaygroundCommands(): readonly GroupCommand[] {
  const { t } = useTranslation('playground')
  const { data } = useCall('playground.conversations', {})
  return [
    { id: 'chat-new', label: t('palette.newChat'), icon: SquarePen, path: chatPath() },
    { id: 'chat-compare', label: t('palette.compare'), icon: Columns3, path: comparePath },
    { id: 'chat-prompts', label: t('palette.prompts'), icon: BookText, path: promptsPath },
    { id: 'chat-completion', label: t('palette.completion'), icon: ScanText, path: completionPath },
    { id: 'chat-embeddings', label: t('palette.embeddings'), icon: Waypoints, path: embeddingsPath },
    ...(data?.items ?? []).slice(0, recentChats).map(
      ({ id, title }): GroupCommand => ({
        id: `chat-${id}`,
        label: t('palette.openChat', { title }),
        icon: MessageSquareText,
        path: chatPath(id),
      }),
    ),
  ]
}

function useUsageCommands(): readonly GroupCommand[] {
  const { t } = useTranslation(['palette', 'budgets'])
  const { data: plans = [] } = useCall('plans.list', {})
  return [
    { id: 'usage-left', label: t('usage.left'), icon: Gauge, path: quotaPath },
    {
      id: 'usage-errors',
      label: t('usage.errors'),
      icon: TriangleAlert,
      path: requestsPath({ scope: 'machine', onlyErrors: true }),
    },
    ...plans.map(
      ({ id, name: plan }): GroupCommand => ({
        id: `usage-${id}`,
        label: t('usage.ofPlan', { plan }),
        icon: ChartColumn,
        path: figuresPath({ scope: 'machine', planId: id }),
      }),
    ),
    { id: 'alerts', label: t('alerts'), icon: Bell, path: alertsPath },
    { id: 'budgets', label: t('budgets:title'), icon: Wallet, path: budgetsPath },
    { id: 'sources', label: t('sources'), icon: Database, path: sourcesPath },
  ]
}

/** Starts, stops and pauses the relay, with the result in a toast. */
function useSwitchCommands(): readonly GroupCommand[] {
  const { t } = useTranslation(['palette', 'relay'])
  const navigate = useNavigate()
  const showFailureToast = useFailureToast()
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
      run: () => (isUsed ? void navigate(relayPath) : stopping.mutate({}, toastOptions)),
    },
  ]
}

function useRelayCommands(): readonly GroupCommand[] {
  const { t } = useTranslation(['palette', 'mcp'])
  const switchCommands = useSwitchCommands()
  return [
    { id: 'relay', label: t('relay.open'), icon: Waypoints, path: relayPath },
    { id: 'relay-set-up', label: t('relay.setUp'), icon: Waypoints, path: setUpPath({ route: 'relay' }) },
    { id: 'mcp', label: t('mcp:title'), icon: Plug, path: '/tools/mcp' },
    ...switchCommands,
  ]
}
