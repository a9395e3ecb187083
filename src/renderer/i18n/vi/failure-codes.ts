import type { FailureCodeTexts } from '../en/failure-codes'
import { accountFailures } from './account-failures'
import { keyFailures } from './key-failures'
import { networkFailures } from './network-failures'
import { playgroundFailures } from './playground-failures'
import { profileFailures } from './profile-failures'
import { usageFailures } from './usage-failures'

/** Words for each code, in Vietnamese. */
export const failureCodes: FailureCodeTexts = {
  input: {
    invalid: {
      title: 'Có giá trị chưa hợp lệ',
      explanation: 'Ứng dụng không chấp nhận {{field}}.',
      remedy: 'Hãy sửa lại rồi thử lần nữa.',
    },
    declined: {
      title: 'Đã hủy',
      explanation: 'Bạn đã không đồng ý khi ứng dụng hỏi, nên chưa có gì thay đổi.',
      remedy: 'Hãy thực hiện lại nếu bạn muốn được hỏi lần nữa.',
    },
  },
  bridge: {
    denied: {
      title: 'Cửa sổ bị từ chối',
      explanation: 'Yêu cầu không đến từ trang của chính ứng dụng nên đã không được thực hiện.',
      remedy: 'Hãy thoát ứng dụng rồi mở lại.',
    },
    unknownMethod: {
      title: 'Cửa sổ và ứng dụng không khớp nhau',
      explanation: 'Cửa sổ yêu cầu một việc mà phiên bản này của ứng dụng không biết.',
      remedy: 'Hãy thoát ứng dụng rồi mở lại.',
    },
  },
  internal: {
    unexpected: {
      title: 'Đã xảy ra lỗi ngoài dự kiến',
      explanation: 'Đây là lỗi của chính ứng dụng, không phải do bạn.',
      remedy: 'Hãy thử lại. Nếu vẫn lỗi, hãy báo cho chúng tôi kèm phần chi tiết bên dưới.',
    },
  },
  vault: {
    unavailable: {
      title: 'Không truy cập được chuỗi khóa',
      explanation:
        'Chuỗi khóa của máy này không phản hồi nên không thể lưu hay đọc khóa. Ứng dụng không bao giờ ghi khóa ra tệp không được bảo vệ để thay thế.',
      remedy: 'Hãy mở khóa hoặc cài đặt chuỗi khóa, rồi cho ứng dụng tìm lại.',
    },
    keyMissing: {
      title: 'Khóa không còn trong chuỗi khóa',
      explanation:
        'Chuỗi khóa không có khóa nào cho {{plan}}. Khóa đã bị xóa ở đó, hoặc chỉ được giữ đến khi thoát ứng dụng.',
      remedy: 'Hãy sao chép lại khóa rồi dán vào.',
    },
  },
  clipboard: {
    noKey: {
      title: 'Không có khóa trong bộ nhớ tạm',
      explanation:
        'Bộ nhớ tạm đang trống, hoặc chứa thứ không thể là khóa: nhiều từ, nhiều dòng hoặc một khóa đã bị rút gọn.',
      remedy: 'Hãy sao chép riêng khóa, đầy đủ, rồi dán lại.',
    },
  },
  plan: {
    notFound: {
      title: 'Gói này không còn nữa',
      explanation: '{{plan}} vừa bị xóa, ở đây hoặc bằng dòng lệnh.',
      remedy: 'Hãy chọn một gói khác.',
    },
    nameTaken: {
      title: 'Đã có gói mang tên này',
      explanation: 'Hai gói không thể trùng tên, vì dòng lệnh tìm gói theo tên.',
      remedy: 'Hãy chọn một tên khác.',
    },
    inUse: {
      title: 'Có công cụ đang dùng gói này',
      explanation: 'Nếu không có {{plan}}, các công cụ được cấu hình với gói sẽ ngừng hoạt động.',
      remedy: 'Hãy chuyển các công cụ đó sang gói khác trước, hoặc xác nhận rằng chúng có thể ngừng.',
    },
  },
  key: {
    notFound: {
      title: 'Khóa này không còn nữa',
      explanation: 'Khóa vừa bị xóa khỏi {{plan}}.',
      remedy: 'Hãy quay lại gói và chọn một khóa hiện có.',
    },
  },
  connection: {
    notFound: {
      title: 'Kết nối này không còn nữa',
      explanation: 'Kết nối vừa bị xóa.',
      remedy: 'Hãy chọn một kết nối khác.',
    },
    nameTaken: {
      title: 'Đã có kết nối mang tên này',
      explanation: 'Hai kết nối không thể trùng tên, vì tên là cách để phân biệt chúng.',
      remedy: 'Hãy chọn một tên khác.',
    },
  },
  tool: {
    notFound: {
      title: 'Ứng dụng không biết công cụ này',
      explanation: 'Không có công cụ nào mang tên này trong số các công cụ mà ứng dụng cấu hình được.',
      remedy: 'Hãy chọn một công cụ trong danh sách.',
    },
    notConfigured: {
      title: '{{tool}} chưa được cấu hình',
      explanation:
        'Trong các tệp của {{tool}} không có gì do ứng dụng này ghi, nên không có gì để kiểm tra hay hoàn tác.',
      remedy: 'Hãy cấu hình công cụ trước.',
    },
    notWritten: {
      title: '{{tool}} không được cấu hình bằng cách ghi tệp',
      explanation:
        'Ứng dụng này không ghi tệp nào của {{tool}}: công cụ được cấu hình bằng tay, hoặc không dùng được gateway loại này.',
      remedy: 'Hãy mở trang của công cụ để biết có thể làm gì.',
    },
    otherGateway: {
      title: '{{tool}} đang trỏ đến gateway khác',
      explanation:
        'Cấu hình của công cụ hiện dẫn đến địa chỉ khác với địa chỉ của {{plan}}. Để an toàn, chưa có khóa nào được gửi đến đó.',
      remedy: 'Hãy cấu hình lại, hoặc hoàn tác cấu hình nếu bạn muốn dùng địa chỉ kia.',
    },
    helperFailed: {
      title: '{{tool}} không lấy được khóa',
      explanation:
        'Lệnh mà {{tool}} dùng để hỏi ứng dụng này về khóa đã thất bại hoặc không in ra gì. Điều này xảy ra khi ứng dụng bị chuyển chỗ hoặc khóa đã bị xóa.',
      remedy: 'Hãy cấu hình lại công cụ để có lệnh đúng.',
    },
  },
  address: {
    empty: {
      title: 'Thiếu địa chỉ',
      explanation: 'Không có địa chỉ gateway thì không biết kết nối đến đâu.',
      remedy: 'Hãy nhập địa chỉ gateway đi kèm với gói.',
    },
    notAnAddress: {
      title: 'Đây không phải là địa chỉ',
      explanation: 'Không thể hiểu nội dung đã nhập như địa chỉ của một máy chủ.',
      remedy: 'Hãy nhập địa chỉ như https://gateway.example.com.',
    },
    scheme: {
      title: 'Không dùng được loại địa chỉ này',
      explanation: 'Gateway được truy cập bằng https, hoặc bằng http ngay trên máy này.',
      remedy: 'Hãy nhập địa chỉ bắt đầu bằng https://.',
    },
    insecure: {
      title: 'Địa chỉ này sẽ gửi khóa mà không được bảo vệ',
      explanation:
        'Qua http, bất kỳ ai trên đường truyền cũng đọc được khóa. Ứng dụng chỉ chấp nhận http cho chính máy này.',
      remedy: 'Hãy dùng địa chỉ với https://.',
    },
    credentials: {
      title: 'Địa chỉ chứa tên người dùng hoặc mật khẩu',
      explanation: 'Tên hay mật khẩu nằm trong địa chỉ sẽ lọt vào tệp và nhật ký.',
      remedy: 'Hãy bỏ toàn bộ phần đứng trước dấu @.',
    },
    path: {
      title: 'Địa chỉ có kèm đường dẫn',
      explanation: 'Gateway là một máy chủ không kèm đường dẫn; ứng dụng tự thêm phần mà mỗi công cụ cần.',
      remedy: 'Hãy chỉ nhập máy chủ, ví dụ https://gateway.example.com.',
    },
  },
  file: {
    unparsable: {
      title: 'Tệp cấu hình có lỗi',
      explanation: 'Không đọc được {{file}} {{where}}. Ứng dụng không đụng đến tệp mà nó không hiểu.',
      remedy: 'Hãy sửa tệp rồi thử lại.',
    },
    notStrict: {
      title: '{{tool}} bỏ qua toàn bộ tệp này',
      explanation:
        'Có chú thích hoặc dấu phẩy thừa {{where}}. {{tool}} chỉ đọc JSON nghiêm ngặt: chỉ cần một chỗ như vậy là không thiết lập nào trong tệp có hiệu lực.',
      remedy: 'Hãy giữ một bản sao còn chú thích bên cạnh rồi tiếp tục với tệp sạch, hoặc tự sửa tệp.',
    },
    notEditable: {
      title: 'Ứng dụng không sửa được tệp này',
      explanation:
        'Ứng dụng không thể sửa an toàn {{file}} {{where}}: chỗ đó dùng alias, merge key hoặc set. Chưa có gì được ghi.',
      remedy: 'Hãy viết dòng đó thành key và giá trị đơn giản rồi thử lại, hoặc tự nhập cấu hình vào tệp.',
    },
    changed: {
      title: 'Tệp vừa bị thay đổi',
      explanation: '{{file}} không còn giống như trong bản xem trước. Chưa có gì được ghi.',
      remedy: 'Hãy xem bản xem trước mới rồi áp dụng.',
    },
    unwritable: {
      title: 'Không ghi được tệp',
      explanation: 'Hệ thống từ chối ghi {{file}}. Có thể ổ đĩa đã đầy, hoặc tệp thuộc về người khác.',
      remedy: 'Hãy sửa quyền của tệp rồi thử lại.',
    },
    unreadable: {
      title: 'Không mở được tệp',
      explanation: 'Hệ thống từ chối đọc {{file}}.',
      remedy: 'Hãy sửa quyền của tệp rồi thử lại.',
    },
  },
  storage: {
    full: {
      title: 'Ổ đĩa đã đầy',
      explanation: 'Ứng dụng không lưu được thay đổi này. Những gì đã lưu trước đó vẫn còn nguyên.',
      remedy: 'Hãy giải phóng dung lượng trên ổ đĩa chứa thư mục dữ liệu rồi thử lại.',
    },
    denied: {
      title: 'Không ghi được thư mục dữ liệu',
      explanation: 'Thư mục chỉ cho đọc hoặc thuộc về người dùng khác. Những gì đã lưu trước đó vẫn còn nguyên.',
      remedy: 'Hãy cho phép ghi vào thư mục dữ liệu rồi thử lại.',
    },
    busy: {
      title: 'Tiến trình khác đang lưu',
      explanation:
        'Một tiến trình khác của ứng dụng chưa lưu xong trong thời gian chờ. Những gì đã lưu trước đó vẫn còn nguyên.',
      remedy: 'Hãy đóng các cửa sổ và lệnh khác của ứng dụng rồi thử lại.',
    },
  },
  gateway: {
    keyRejected: {
      title: 'Gateway từ chối khóa',
      explanation: 'Khóa bị sai, thiếu ký tự, hoặc đã bị người cấp vô hiệu hóa.',
      remedy: 'Hãy kiểm tra rằng khóa đang ACTIVE trong bảng điều khiển, sao chép đầy đủ rồi dán lại.',
    },
    planExpired: {
      title: 'Gói đã hết hạn',
      explanation: '{{plan}} đã hết hạn hoặc bị xóa nên mọi khóa của gói không còn dùng được.',
      remedy: 'Hãy mua lại gói hoặc bật tự động gia hạn trong bảng điều khiển, hoặc dùng gói khác.',
    },
    modelNotInPlan: {
      title: 'Gói không có mô hình này',
      explanation: 'Gateway được yêu cầu dùng {{model}}, nhưng mô hình này không nằm trong {{plan}}.',
      remedy: 'Hãy chọn một mô hình trong thẻ Models của gói. Mã phải khớp từng ký tự.',
    },
    wrongSuffix: {
      title: 'Phần cuối của địa chỉ không đúng',
      explanation:
        'Gateway không có gì tại {{address}}. Công cụ theo chuẩn chat-completions cần /v1 ở cuối địa chỉ, còn công cụ theo chuẩn Messages thì không được có.',
      remedy: 'Hãy đặt địa chỉ chỉ gồm máy chủ của gateway; ứng dụng tự thêm phần cuối đúng cho từng công cụ.',
    },
    quotaExhausted: {
      title: 'Hạn mức của mô hình này đã hết',
      explanation: 'Trong chu kỳ này gói không còn gì cho {{model}}. Các mô hình khác của gói không bị ảnh hưởng.',
      remedy: 'Hãy dùng mô hình khác cho đến chu kỳ sau, hoặc dùng gói khác.',
    },
    rateLimited: {
      title: 'Quá nhiều yêu cầu cùng lúc',
      explanation: 'Gateway yêu cầu gửi chậm lại. Khóa và gói vẫn ổn.',
      remedy: 'Hãy thử lại {{wait}}.',
    },
    serverError: {
      title: 'Gateway gặp sự cố',
      explanation: 'Gateway báo lỗi từ phía nó. Địa chỉ và khóa có thể vẫn đúng.',
      remedy: 'Hãy thử lại sau giây lát. Nếu vẫn lỗi, hãy báo cho bên vận hành gateway kèm mã yêu cầu.',
    },
    badRequest: {
      title: 'Gateway không chấp nhận yêu cầu',
      explanation: 'Gateway biết ai đang hỏi, nhưng không hiểu yêu cầu gửi đến {{model}}.',
      remedy: 'Hãy thử mô hình khác. Phần chi tiết bên dưới có câu trả lời của gateway.',
    },
    notAGateway: {
      title: 'Không có gateway nào ở địa chỉ này',
      explanation: 'Có phản hồi tại {{address}}, nhưng không phải theo cách của một gateway.',
      remedy: 'Hãy so lại địa chỉ với địa chỉ đi kèm gói.',
    },
  },
  sandbox: {
    portInUse: {
      title: 'Chương trình khác đang dùng cổng của sandbox',
      explanation: 'Sandbox không lấy được cổng quen thuộc, vì có chương trình khác đang nghe ở đó.',
      remedy: 'Hãy khởi động ở cổng khác. Khi đó các công cụ đã cấu hình với sandbox cần được cấu hình lại.',
    },
    stateInUse: {
      title: 'Một sandbox khác đang dùng cùng tệp trạng thái',
      explanation: 'Hai sandbox sẽ ghi đè thay đổi của nhau, nên sandbox này không khởi động.',
      remedy: 'Hãy dừng sandbox kia, rồi khởi động lại sandbox này.',
    },
    failed: {
      title: 'Sandbox không khởi động được',
      explanation: 'Tiến trình của nó đã dừng trước khi sẵn sàng.',
      remedy: 'Hãy khởi động lại.',
    },
  },
  ...networkFailures,
  ...profileFailures,
  ...keyFailures,
  ...playgroundFailures,
  ...usageFailures,
  account: accountFailures,
}
