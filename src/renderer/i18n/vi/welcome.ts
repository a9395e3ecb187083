import type { welcome as english } from '../en/welcome'
import type { Translation } from '../texts'

/** Words of the first screen, in Vietnamese. */
export const welcome: Translation<typeof english> = {
  title: 'Chào mừng',
  headline: 'Nối công cụ lập trình với gói token của bạn',
  lead: 'Platform Companion ghi đúng địa chỉ gateway và khóa vào từng công cụ, cho xem mọi thay đổi trước khi ghi, và hoàn tác lại đúng từng byte.',
  ways: {
    label: 'Cách bắt đầu',
    sandbox: {
      title: 'Khám phá với sandbox',
      text: 'Một gateway chạy ngay trên máy này, có sẵn gói và khóa riêng. Không phải mua gì, cũng không sợ làm hỏng gì.',
      action: 'Khởi động sandbox',
      busy: 'Đang khởi động sandbox…',
    },
    key: {
      title: 'Tôi đã được cấp khóa',
      text: 'Bạn có địa chỉ gateway và một khóa. Ứng dụng kiểm tra trực tiếp và cho biết ngay chúng có dùng được không.',
      action: 'Thêm gói',
    },
    platform: {
      title: 'Kết nối một nền tảng',
      text: 'Giữ địa chỉ các dịch vụ của nền tảng ở một nơi; địa chỉ được sửa cho đúng ngay khi bạn nhập.',
      action: 'Thêm địa chỉ',
    },
  },
  sandboxReady: 'Sandbox đang chạy',
  sandboxReadyText: 'Gói của sandbox đã sẵn sàng. Hãy chọn một công cụ để cấu hình.',
  keys: 'Khóa luôn nằm trong chuỗi khóa của hệ thống.',
  privacy: 'Không có gì rời khỏi máy này ngoài những yêu cầu do bạn gửi.',
  skip: 'Để sau',
  noKeychain: 'Không tìm thấy chuỗi khóa: khóa chỉ được giữ đến khi bạn thoát ứng dụng',
  recheck: 'Tìm lại',
}
