import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { CallError, call } from '../../ipc'
import { toast } from '../../ui/toast'
import { type PictureOf, pictureOf } from './picture'

interface Framed extends Omit<PictureOf, 'svg'> {
  /** What holds the chart. */
  readonly frame: HTMLElement | null
}

/** Saves a chart as a picture where the person says, and tells what came of it. */
export function useSavePicture(): (of: Framed) => void {
  const { t } = useTranslation('usage')
  const words = useFailureWords()
  const save = async ({ frame, title, legend }: Framed): Promise<void> => {
    const svg = frame?.querySelector<SVGSVGElement>('svg.recharts-surface')
    if (!svg) return
    try {
      const { path } = await call('usage.savePicture', {
        name: title,
        pngBase64: await pictureOf({ svg, title, legend }),
      })
      if (path !== undefined) await toast(t('charts.pictureSaved'), { description: path })
    } catch (error) {
      const description = error instanceof CallError ? words(error.failure).title : ''
      await toast(t('charts.pictureFailed'), { tone: 'danger', description })
    }
  }
  return (of) => void save(of)
}
