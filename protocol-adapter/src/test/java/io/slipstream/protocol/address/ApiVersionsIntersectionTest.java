// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.KafkaFrames;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.FinalizedFeatureKey;
import org.apache.kafka.common.message.ApiVersionsResponseData.SupportedFeatureKey;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.junit.jupiter.api.Test;

class ApiVersionsIntersectionTest {
    @Test
    void shouldOfferNoApiOrVersionThatIsUnknownHere() {
        for (short version : ApiKeys.API_VERSIONS.allVersions()) {
            ApiVersionsResponseData data = ofANewerBroker(version);
            ByteBuffer frame = intersected(data, version);

            data.apiKeys().removeIf(api -> !ApiKeys.hasId(api.apiKey()));
            data.apiKeys()
                    .forEach(
                            api -> api.setMaxVersion(ApiKeys.forId(api.apiKey()).latestVersion()));
            assertThat(frame).isEqualTo(KafkaFrames.response(ApiKeys.API_VERSIONS, version, 5, data));
            assertThat(intersected(data, version)).as("a second time").isEqualTo(frame);
        }
    }

    private static ByteBuffer intersected(ApiVersionsResponseData data, short version) {
        return ApiVersionsIntersection.intersect(KafkaFrames.response(ApiKeys.API_VERSIONS, version, 5, data), version);
    }

    @Test
    void shouldLeaveAnOlderBrokerAlone() {
        ApiVersionsResponseData data = new ApiVersionsResponseData();
        data.apiKeys().add(api(ApiKeys.PRODUCE.id, 0, 11));
        data.apiKeys().add(api(ApiKeys.FETCH.id, 4, 16));
        ByteBuffer frame = KafkaFrames.response(ApiKeys.API_VERSIONS, (short) 3, 5, data);
        assertThat(intersected(data, (short) 3)).isEqualTo(frame);
    }

    @Test
    void shouldNotOfferAnApiOfWhichItKnowsNoVersionOfTheBroker() {
        int known = ApiKeys.FETCH.latestVersion();
        ApiVersionsResponseData data = new ApiVersionsResponseData();
        data.apiKeys().add(api(ApiKeys.FETCH.id, known + 1, known + 2));
        assertThat(intersected(data, (short) 3))
                .isEqualTo(KafkaFrames.response(ApiKeys.API_VERSIONS, (short) 3, 5, new ApiVersionsResponseData()));
    }

    @Test
    void shouldReadTheVersion0AnswerOfABrokerThatDoesNotKnowTheVersion() {
        ApiVersionsResponseData data = new ApiVersionsResponseData().setErrorCode(Errors.UNSUPPORTED_VERSION.code());
        data.apiKeys().add(api(ApiKeys.API_VERSIONS.id, 0, 3));
        ByteBuffer frame = KafkaFrames.response(ApiKeys.API_VERSIONS, (short) 0, 5, data);
        assertThat(ApiVersionsIntersection.intersect(frame, (short) 4)).isSameAs(frame);
        data.apiKeys().add(api((short) 1_999, 0, 9));
        ByteBuffer newer = KafkaFrames.response(ApiKeys.API_VERSIONS, (short) 0, 5, data);
        assertThat(ApiVersionsIntersection.intersect(newer, (short) 4)).isEqualTo(frame);
    }

    @Test
    void shouldNotTouchTruncatedFramesAtAll() {
        ByteBuffer frame = KafkaFrames.response(ApiKeys.API_VERSIONS, (short) 3, 5, ofANewerBroker((short) 3));
        byte[] before = frame.array().clone();
        int apisEnd = 7 + 7 * ofANewerBroker((short) 3).apiKeys().size();
        for (int limit = 0; limit < apisEnd; limit++) {
            ByteBuffer cut = frame.duplicate().limit(limit);
            assertThat(ApiVersionsIntersection.intersect(cut, (short) 3)).isSameAs(cut);
        }
        assertThat(ApiVersionsIntersection.intersect(frame, (short) 99)).isSameAs(frame);
        assertThat(ApiVersionsIntersection.intersect(frame, (short) -1)).isSameAs(frame);
        assertThat(ApiVersionsIntersection.intersect(frame, (short) 3)).isNotSameAs(frame);
        assertThat(frame.array()).isEqualTo(before);
    }

    @Test
    void shouldAnswerATooNewRequestAsABrokerDoes() {
        assertThat(ApiVersionsIntersection.isTooNew(ApiKeys.API_VERSIONS.latestVersion()))
                .isFalse();
        assertThat(ApiVersionsIntersection.isTooNew((short) (ApiKeys.API_VERSIONS.latestVersion() + 1)))
                .isTrue();
        ByteBuffer frame = ApiVersionsIntersection.unsupportedVersion(91);

        ApiVersionsResponseData ofBroker = new ApiVersionsRequest(new ApiVersionsRequestData(), (short) 0)
                .getErrorResponse(0, Errors.UNSUPPORTED_VERSION.exception())
                .data();
        assertThat(frame.duplicate()).isEqualTo(KafkaFrames.response(ApiKeys.API_VERSIONS, (short) 0, 91, ofBroker));

        ByteBufferAccessor in = new ByteBufferAccessor(frame);
        assertThat(new ResponseHeaderData(in, (short) 0).correlationId()).isEqualTo(91);
        ApiVersionsResponseData parsed = new ApiVersionsResponseData(in, (short) 0);
        assertThat(parsed.errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
        assertThat(parsed.apiKeys().find(ApiKeys.API_VERSIONS.id).maxVersion())
                .isEqualTo(ApiKeys.API_VERSIONS.latestVersion());
    }

    /** All APIs, each one version newer than known here, and two unknown ones, the first before most others. */
    private static ApiVersionsResponseData ofANewerBroker(short version) {
        ApiVersionsResponseData data = new ApiVersionsResponseData();
        data.apiKeys().add(api((short) 1_999, 0, 9));
        for (ApiKeys key : ApiKeys.clientApis()) {
            data.apiKeys().add(api(key.id, key == ApiKeys.PRODUCE ? 0 : key.oldestVersion(), key.latestVersion() + 1));
        }
        data.apiKeys().add(api((short) 2_000, 0, 9));
        if (version >= 3) {
            data.supportedFeatures()
                    .add(new SupportedFeatureKey()
                            .setName("f")
                            .setMinVersion((short) 1)
                            .setMaxVersion((short) 9));
            data.finalizedFeatures().add(new FinalizedFeatureKey().setName("f").setMaxVersionLevel((short) 2));
            data.setFinalizedFeaturesEpoch(77);
        }
        return data;
    }

    private static ApiVersion api(short key, int lowest, int highest) {
        return new ApiVersion().setApiKey(key).setMinVersion((short) lowest).setMaxVersion((short) highest);
    }
}
