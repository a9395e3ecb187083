import type { MethodInput } from '@shared/contract'
import { Download, SquareTerminal, WrapText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../../ipc'
import { Button } from '../../../ui/button'
import { CompactSwitch } from '../../../ui/compact-switch'
import { IconButton } from '../../../ui/icon-button'
import { Menu } from '../../../ui/menu'
import { SearchField } from '../../../ui/search-field'
import { toast } from '../../../ui/toast'
import toolbar from '../../../ui/toolbar.module.css'
import { useCopyCall } from '../../resources/copy-call'
import { type LogLine, textOfLine } from './log-lines'
import styles from './logs.module.css'

/** How the loaded lines are shown. */
export interface LogLook {
  readonly find: string
  readonly isWrapped: boolean
  readonly isFollowing: boolean
}

interface LogToolsProps {
  readonly look: LogLook
  readonly onChange: (change: Partial<LogLook>) => void
  /** Begins the name of the file that is saved. */
  readonly name: string
  /** What is shown, and saved. */
  readonly lines: readonly LogLine[]
  readonly asked: MethodInput<'resources.call'>
}

function SaveButton({ name, lines }: Pick<LogToolsProps, 'name' | 'lines'>) {
  const { t } = useTranslation('runtimes')
  const saving = useAction('resources.saveText', {
    onSuccess: ({ path }) => {
      if (path !== undefined) void toast(t('logs.saved', { count: lines.length }), { description: path })
    },
    onError: () => void toast(t('logs.notSaved'), { tone: 'danger' }),
  })
  const save = (): void => saving.mutate({ name: `${name}.log`, text: `${lines.map(textOfLine).join('\n')}\n` })
  return (
    <Button icon={Download} busy={saving.isPending} disabled={lines.length === 0} onClick={save}>
      {t('logs.save')}
    </Button>
  )
}

/** Search, follow, wrap, the log as an API call, and save. */
export function LogTools({ look, onChange, name, lines, asked }: LogToolsProps) {
  const { t } = useTranslation(['runtimes', 'resources'])
  const codeItems = useCopyCall()
  const { find, isWrapped, isFollowing } = look
  return (
    <div className={toolbar.bar}>
      <SearchField
        label={t('runtimes:logs.find')}
        value={find}
        onChange={(next) => onChange({ find: next })}
        hasFindKey
      />
      <span className={styles.grow} />
      <span className={styles.follow}>
        <span aria-hidden="true">{t('runtimes:logs.follow')}</span>
        <CompactSwitch
          checked={isFollowing}
          onCheckedChange={(next) => onChange({ isFollowing: next })}
          label={t('runtimes:logs.follow')}
        />
      </span>
      <IconButton
        icon={WrapText}
        label={t('runtimes:logs.wrap')}
        variant={isWrapped ? 'secondary' : 'ghost'}
        aria-pressed={isWrapped}
        onClick={() => onChange({ isWrapped: !isWrapped })}
      />
      <Menu
        align="end"
        items={codeItems(asked)}
        trigger={<IconButton icon={SquareTerminal} label={t('resources:code.title')} />}
      />
      <SaveButton name={name} lines={lines} />
    </div>
  )
}
