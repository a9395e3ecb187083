type Locale = 'en' | 'vi'

/** What a person can do about tools that would fail. */
export type QuitAnswer = 'background' | 'pointBack' | 'quit' | 'cancel'

/** In the order of the buttons. */
export const quitAnswers: readonly QuitAnswer[] = ['background', 'pointBack', 'quit', 'cancel']

interface QuitWords {
  readonly message: string
  readonly detail: string
  readonly buttons: Readonly<Record<QuitAnswer, string>>
}

/** What the system's dialog asks before the relay ends with the app; `tools` are the names of those that go through it. */
export function quitWords(tools: readonly string[], locale: Locale): QuitWords {
  const names = tools.join(', ')
  if (locale === 'vi')
    return {
      message: 'Một số công cụ đang đi qua relay của ứng dụng này',
      detail: `Khi thoát, relay dừng theo và các công cụ sau sẽ báo lỗi: ${names}.`,
      buttons: {
        background: 'Tiếp tục chạy nền',
        pointBack: 'Trỏ công cụ về gateway…',
        quit: 'Vẫn thoát',
        cancel: 'Hủy',
      },
    }
  return {
    message: 'Tools go through the relay of this app',
    detail: `When the app quits, the relay ends with it, and these tools fail: ${names}.`,
    buttons: {
      background: 'Keep running in the background',
      pointBack: 'Point the tools back…',
      quit: 'Quit anyway',
      cancel: 'Cancel',
    },
  }
}
