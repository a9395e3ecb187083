import { Bell, CirclePause, CirclePlay, CircleStop, Database, Play, Waypoints } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFailureWords } from '../../i18n/failures'
import type { CallError } from '../../ipc'
import { toast } from '../../ui/toast'
import { alertsPath } from '../alerts/paths'
import { useRelay, useRelayActions } from '../relay/use-relay'
import { setUpPath } from '../tools/tool-status'
import { relayPath, sourcesPath } from '../usage/paths'
import type { Command } from './command'

/** Starts, stops and pauses the relay from anywhere; a toast says what came of it. */
function useSwitches(): readonly Command[] {
  const { t } = useTranslation(['palette', 'relay'])
  const navigate = useNavigate()
  const explain = useFailureWords()
  const { data: relay } = useRelay()
  const { starting, stopping, pausing } = useRelayActions()
  const said = {
    onSuccess: ({ state }: NonNullable<typeof relay>) => void toast(t(`palette:relay.now.${state}`)),
    onError: ({ failure }: CallError) => void toast(explain(failure).title, { tone: 'danger' }),
  }
  const isUsed = relay?.tools.some(({ isPointedHere }) => isPointedHere)
  const group = 'tools'
  if (!relay || relay.state === 'starting') return []
  if (relay.state === 'off' || relay.state === 'failed') {
    return [{ id: 'relay-start', group, label: t('relay:start'), icon: Play, run: () => starting.mutate({}, said) }]
  }
  const paused = relay.state === 'on'
  return [
    {
      id: 'relay-pause',
      group,
      label: t(paused ? 'palette:relay.pause' : 'palette:relay.resume'),
      icon: paused ? CirclePause : CirclePlay,
      run: () => pausing.mutate({ paused }, said),
    },
    {
      id: 'relay-stop',
      group,
      label: t('palette:relay.stop'),
      icon: CircleStop,
      // Its page asks first, by name, when tools depend on it.
      run: () => (isUsed ? void navigate(relayPath) : stopping.mutate({}, said)),
    },
  ]
}

/** The relay, what was alerted, and where figures come from. */
export function useRelayCommands(): readonly Command[] {
  const { t } = useTranslation('palette')
  const navigate = useNavigate()
  const go = (path: string) => (): void => void navigate(path)
  const switches = useSwitches()
  return [
    { id: 'relay', group: 'tools', label: t('relay.open'), icon: Waypoints, run: go(relayPath) },
    {
      id: 'relay-set-up',
      group: 'tools',
      label: t('relay.setUp'),
      icon: Waypoints,
      run: go(setUpPath({ route: 'relay' })),
    },
    ...switches,
    { id: 'alerts', group: 'usage', label: t('alerts'), icon: Bell, run: go(alertsPath) },
    { id: 'sources', group: 'usage', label: t('sources'), icon: Database, run: go(sourcesPath) },
  ]
}
