import type { FileChange, PreviewView, ToolChanges } from '@shared/contract'
import { Columns2, CornerDownRight, FileLock2, FileMinus2, FilePlus2, FileText, Rows2, X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Badge, type Tone } from '../../ui/badge'
import { Code } from '../../ui/code'
import { countChanges, DiffView, type DiffWords } from '../../ui/diff-view'
import { IconButton } from '../../ui/icon-button'
import { Card } from '../../ui/page'
import { Segmented } from '../../ui/radio-cards'
import { Skeleton } from '../../ui/skeleton'
import styles from './file-changes.module.css'
import previewAreaStyles from './preview-area.module.css'
import toolWarningsStyles from './tool-warnings.module.css'
import { useToolsStore } from './tools-store'
import type { Shown } from './use-preview'

const tones: Record<FileChange['action'], Tone> = {
  create: 'success',
  change: 'accent',
  delete: 'danger',
  none: 'neutral',
}
const icons = { create: FilePlus2, change: FileText, delete: FileMinus2, none: FileText } as const

/** Chooses between one column and side by side; remembered until the window closes. */
export function LayoutToggle() {
  const { t } = useTranslation('tools')
  const layout = useToolsStore((store) => store.layout)
  const setLayout = useToolsStore((store) => store.setLayout)
  return (
    <Segmented
      label={t('layout')}
      value={layout}
      onValueChange={(value) => setLayout(value === 'split' ? 'split' : 'inline')}
      segments={[
        { value: 'inline', label: t('inline'), icon: Rows2 },
        { value: 'split', label: t('split'), icon: Columns2 },
      ]}
    />
  )
}

/** What becomes of the changes; a low window gives its room to the changes themselves. */
export function ChangesHint() {
  const { t } = useTranslation('tools')
  return <span className={previewAreaStyles.hint}>{t('changesHint')}</span>
}

function useDiffWords(): DiffWords {
  const { t } = useTranslation('tools')
  return {
    added: t('diff.added'),
    removed: t('diff.removed'),
    secret: t('diff.secret'),
    before: t('diff.before'),
    after: t('diff.after'),
    gap: (count) => t('diff.gap', { count }),
  }
}

/** A path whose folders give way before its last part does. */
function Path({ path }: { path: string }) {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1
  return (
    <span className={styles.path} title={path}>
      <span className={styles.folder}>{path.slice(0, at)}</span>
      <span className={styles.name}>{path.slice(at)}</span>
    </span>
  )
}

function Body({ file }: { file: FileChange }) {
  const { t } = useTranslation('tools')
  const layout = useToolsStore((store) => store.layout)
  const words = useDiffWords()
  const { action, holdsKey, lines, path } = file
  if (action === 'none') return <p className={styles.note}>{t('noChange')}</p>
  if (lines.length === 0) {
    const words = { delete: 'holdsKeyDeleted', create: 'holdsKey', change: 'holdsKey' } as const
    return <p className={styles.note}>{holdsKey ? t(words[action]) : t('deletedWhole')}</p>
  }
  // Where there is only one side, two columns would leave one empty.
  const oneSided = action === 'create' || action === 'delete'
  return <DiffView lines={lines} layout={oneSided ? 'inline' : layout} label={t('diffLabel', { path })} words={words} />
}

function FileCard({ file }: { file: FileChange }) {
  const { t } = useTranslation('tools')
  const id = useId()
  const Icon = file.holdsKey ? FileLock2 : icons[file.action]
  return (
    <article className={styles.card} aria-labelledby={id}>
      <header className={styles.head}>
        <Icon size={15} strokeWidth={1.8} className={styles.icon} aria-hidden="true" />
        <h3 id={id} className={styles.title}>
          <Path path={file.path} />
        </h3>
        <CopyText text={file.path} label={t('copyPath')} />
        <span className={styles.summary}>
          <LineCounts {...countChanges(file.lines)} />
          <Badge tone={tones[file.action]}>{t(`fileActions.${file.action}`)}</Badge>
        </span>
      </header>
      {file.linkTarget === undefined ? null : (
        <p className={styles.link}>
          <CornerDownRight size={13} aria-hidden="true" />
          {t('linkTo')} <code>{file.linkTarget}</code>
        </p>
      )}
      <Body file={file} />
    </article>
  )
}

/** Every file that will be written, with what changes in it. */
export function FileChanges({ files }: { files: readonly FileChange[] }) {
  return (
    <div className={styles.files}>
      {files.map((file) => (
        <FileCard key={file.path} file={file} />
      ))}
    </div>
  )
}

interface LineCountsProps {
  readonly added: number
  readonly removed: number
}

/** How many lines come and go; nothing where none does. */
export function LineCounts({ added, removed }: LineCountsProps) {
  const { t } = useTranslation('tools')
  if (added + removed === 0) return null
  return (
    <span className={styles.counts}>
      <span className="sr-only">{t('diff.counts', { added, removed })}</span>
      {added > 0 ? (
        <span aria-hidden="true" className={styles.added}>
          +{added}
        </span>
      ) : null}
      {removed > 0 ? (
        <span aria-hidden="true" className={styles.removed}>
          −{removed}
        </span>
      ) : null}
    </span>
  )
}

interface TakenOutProps {
  readonly paths: readonly string[]
  readonly onLeaveIn: (path: string) => void
}

/** The settings in the way that will be taken out, each of which can stay after all. */
export function TakenOut({ paths, onLeaveIn }: TakenOutProps) {
  const { t } = useTranslation('tools')
  if (paths.length === 0) return null
  return (
    <p className={toolWarningsStyles.taken}>
      {t('fixes.takenOut')}
      {paths.map((path) => (
        <span key={path} className={toolWarningsStyles.taken}>
          <Code>{path}</Code>
          <IconButton
            icon={X}
            size="sm"
            label={t('fixes.leaveIn', { setting: path })}
            onClick={() => onLeaveIn(path)}
          />
        </span>
      ))}
    </p>
  )
}

/** Whether carrying it out would change nothing: no file of the tool, and not what the relay uses for it. */
export const changesNothing = ({ files, setsWay }: Pick<ToolChanges, 'files' | 'setsWay'>): boolean =>
  setsWay !== true && files.every(({ action }) => action === 'none')

const widths = ['38%', '62%', '54%', '70%', '46%', '30%']

/** Stands where a diff will be. */
export function Waiting() {
  const { t } = useTranslation('tools')
  return (
    <Card>
      <div className={previewAreaStyles.waiting} role="status">
        <span className="sr-only">{t('preparing')}</span>
        {widths.map((width) => (
          <Skeleton key={width} width={width} />
        ))}
      </div>
    </Card>
  )
}

interface PreviewAreaProps {
  readonly shown: Shown<PreviewView>
  /** The failure in words, when there is one. */
  readonly failure: ReactNode
  /** What to say when there is nothing to ask for yet. */
  readonly missing?: string | undefined
}

/** The files of a preview; fades while a newer one is on its way. */
export function PreviewArea({ shown, failure, missing }: PreviewAreaProps) {
  const { preview, isOld } = shown
  if (failure) return failure
  if (missing !== undefined) return <p className={previewAreaStyles.missing}>{missing}</p>
  if (!preview) return <Waiting />
  return (
    <div className={isOld ? previewAreaStyles.old : previewAreaStyles.shown} aria-busy={isOld}>
      <FileChanges files={preview.files} />
    </div>
  )
}
